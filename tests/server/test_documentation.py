"""The documents say what is so: named tests exist, the example runs."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from harness.programs import run
from harness.servers.in_process import running
from keypeg.commands.serving import serve
from keypeg.server.settings import PREFIX, Settings
from keypeg.server.sharing import LONELY_SECONDS

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"


def test_every_test_that_the_threat_list_names_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", (DOCS / "security.md").read_text()))
    source = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert {name for name in named if f"def {name}(" not in source} == set()
    for path in re.findall(r"tests/\w+/\w+\.py", (DOCS / "security.md").read_text()):
        assert (ROOT / path).is_file(), path


def test_every_file_in_which_a_defence_is_switched_off_is_named() -> None:
    _, _, rest = (DOCS / "security.md").read_text().partition("- **R8.** ")
    rule, _, _ = rest.partition("\n## ")
    off = re.compile(r"def test_\w+_(would_be_noticed\w*|would_not_be_seen|is_missed)\(")
    for folder in ("server", "store", "table"):
        for path in (ROOT / "tests" / folder).glob("test_*.py"):
            if off.search(path.read_text()):
                assert str(path.relative_to(ROOT)) in rule


def test_every_threat_has_its_line_and_its_tests() -> None:
    text = (DOCS / "security.md").read_text()
    threats = [f"T{number}" for number in range(1, 29)]
    assert re.findall(r"^\| (T\d+) \| .+ \| .+ \|$", text, re.MULTILINE) == threats
    notes = re.findall(r"^- \*\*(T\d+)\.\*\* (.+(?:\n  .+)*)", text, re.MULTILINE)
    assert [number for number, _ in notes] == threats
    assert all("Tests: " in note for _, note in notes[:-1])


def test_every_setting_is_documented() -> None:
    text = (DOCS / "server.md").read_text()
    for field in Settings.__struct_fields__:
        assert f"`{PREFIX}{field.upper()}`" in text


def test_the_options_that_are_no_variables_are_named() -> None:
    """By the document and the help; all others are in the table, beside their variable."""
    text, said = (DOCS / "server.md").read_text(), " ".join((serve.help or "").split())
    options = {param.name: param.opts[0] for param in serve.params}
    others = {options.pop(name) for name in options.keys() - {*Settings.__struct_fields__}}
    assert others == {"--open", "--json"}
    assert "Every option of `keypeg serve` except `--open` and `--json` can" in text
    assert "Every option except --open and --json can" in said
    for row in re.findall(r"^\| (`KEYPEG_.*?) \| (.*?) ?\|", text, re.MULTILINE):
        variables, beside = (re.findall(r"`([^`]+)`", cell) for cell in row)
        fields = [name.removeprefix(PREFIX).lower() for name in variables]
        assert beside == [options[field] for field in fields if field in options]
    for field in {*Settings.__struct_fields__, "key"} - options.keys():
        assert f"{PREFIX}{field.upper()}" in said


def test_what_happens_without_redis_is_said_in_the_same_words() -> None:
    for name in ("server.md", "design/several-processes.md"):
        assert f"every {LONELY_SECONDS:g} s" in (DOCS / name).read_text()


@pytest.mark.anyio
async def test_the_example_bot_plays_a_series(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", (DOCS / "client.md").read_text(), re.DOTALL)[0]
    async with running(tmp_path) as server:
        bot = await asyncio.to_thread(run, [sys.executable, "-c", code, server.url])
    assert bot.returncode == 0, bot.stderr
    assert re.match(r"\d+ to \d+\nkeypeg record 1\n", bot.stdout)
