"""The documents say what is so: named tests exist, the example runs."""

from __future__ import annotations

import asyncio
import re
import sys
from ast import literal_eval
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import get_args, get_type_hints

import msgspec
import pytest

from harness.programs import run
from harness.servers.in_process import running
from keypeg.commands.serving import serve
from keypeg.messages import NewTable
from keypeg.rules.series import Seat
from keypeg.rules.terms import LONGEST_TURN, MOST_GAMES, KeyPegMode, Scoring
from keypeg.server.settings import PREFIX, Settings
from keypeg.server.sharing import POLL_SECONDS_WITHOUT_BUS
from keypeg.solver.levels import LEVELS
from keypeg.table.names import LONGEST_NAME

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
    threats = [f"T{number}" for number in range(1, 31)]
    assert re.findall(r"^\| (T\d+) \| .+ \| .+ \|$", text, re.MULTILINE) == threats
    notes = re.findall(r"^- \*\*(T\d+)\.\*\* (.+(?:\n  .+)*)", text, re.MULTILINE)
    assert [number for number, _ in notes] == threats
    assert all("Tests: " in note for number, note in notes if number != "T28")


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
        assert f"every {POLL_SECONDS_WITHOUT_BUS:g} s" in (DOCS / name).read_text()


@pytest.mark.anyio
async def test_the_example_bots_play_a_series(tmp_path: Path) -> None:
    """One against the computer, two against each other, one in a contest, and two in a race."""
    examples = re.findall(r"```python\n(.*?)```", (DOCS / "client.md").read_text(), re.DOTALL)
    prints = [r"\d+ to \d+\nkeypeg record 1\n"] * 2 + [r"http://.*/contest/.{22}\n1 Robby \d+\n$"]
    prints.append(r"1 Robby (\d+)\n1 Cleo \1\n$")
    async with running(tmp_path) as server:
        for code, printed in zip(examples, prints, strict=True):
            bot = await asyncio.to_thread(run, [sys.executable, "-c", code, server.url])
            assert bot.returncode == 0, bot.stderr
            assert re.match(printed, bot.stdout)


def test_the_settings_of_a_table_are_those_of_its_message() -> None:
    """The client itself sets `retry`."""
    text = (DOCS / "client.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| `([^`]+)` \| .+ \|$", text, re.MULTILINE)
    fields = {field.name: field for field in msgspec.structs.fields(NewTable)}
    assert [name for name, _, _ in rows] == [name for name in fields if name != "retry"]
    kinds = get_type_hints(NewTable)
    for name, values, default in rows:
        assert literal_eval(default) == msgspec.to_builtins(fields[name].default)
        assert ("or `None`" in values) == (NoneType in get_args(kinds[name]))
    said = {name: re.findall(r'"([^"]+)"', values) for name, values, _ in rows}
    for name, kind in {"key_pegs": KeyPegMode, "scoring": Scoring, "first_maker": Seat}.items():
        assert said[name] == [one.value for one in kind]
    assert said["seat"] == said["first_maker"]
    assert said["opponent"] == [level.name for level in LEVELS]
    ranges = {name: values for name, values, _ in rows}
    assert f"2 to {MOST_GAMES}" in ranges["games"]
    assert f"1 to {LONGEST_TURN}" in ranges["turn_seconds"]
    assert f"1 to {LONGEST_NAME}" in ranges["name"]


def test_what_the_documents_call_public_is_there() -> None:
    text = (DOCS / "library.md").read_text()
    public = {
        module: set(re.findall(r"`(\w+)`", names))
        for module, names in re.findall(r"^\| `(keypeg[\w.]+)` \| (.+?) \|", text, re.MULTILINE)
    }
    for module, names in public.items():
        if "__all__" in names:
            names |= {*import_module(module).__all__}
        assert {name for name in names if not hasattr(import_module(module), name)} == set()
    for document in (ROOT / "README.md", *DOCS.glob("*.md")):
        for module, names in re.findall(
            r"^(?:>>> )?from (keypeg[\w.]*) import (.+)$", document.read_text(), re.MULTILINE
        ):
            assert set(names.split(", ")) <= public[module], document


def test_every_link_leads_somewhere() -> None:
    for document in (*ROOT.glob("*.md"), *DOCS.rglob("*.md"), ROOT / "bench" / "results.md"):
        for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
            path, _, heading = link.partition("#")
            if not path.startswith("http"):
                target = (document.parent / path) if path else document
                assert target.exists(), f"{document}: {link}"
                assert not heading or heading in headings(target.read_text()), f"{document}: {link}"


def headings(text: str) -> set[str]:
    """The headings of a document, as links name them."""
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in found}
