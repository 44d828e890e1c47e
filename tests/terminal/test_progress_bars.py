from __future__ import annotations

import io

import pytest
from rich.console import Console

from keypeg.terminal import progress_bars


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("what", ["first guess 1,234 of 5,678", progress_bars._COMPILING])
def test_times_are_legible_in_80_columns(
    what: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, color_system=None, width=columns)
    monkeypatch.setattr(progress_bars, "Console", lambda **_: console)
    with progress_bars._search_bar() as bar:
        found = progress_bars._least(178_390) if "guess" in what else ""
        bar.add_task(what, total=10, completed=5, found=found, nodes=1_234_567_890)
        bar.refresh()
    assert "0:00:00 about -:--:-- left" in shown.getvalue()
    assert f"{what} ━" in shown.getvalue()
    assert found in shown.getvalue()
    assert ("positions" in shown.getvalue()) == (columns > 80)
