from __future__ import annotations

import random
import sys
from functools import cache
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.programs import run
from keypeg.rules.board import Board
from keypeg.rules.keypegs import score
from keypeg.solver import reference
from keypeg.solver.books.book import read_book
from keypeg.solver.books.book import shipped as books
from keypeg.solver.certificates import checker
from keypeg.solver.certificates.checker import (
    IMPOSSIBLE,
    AnswerTable,
    Certificate,
    Checker,
    Rejected,
    check,
    read,
    statement,
    write,
)
from keypeg.solver.certificates.shipped import shipped
from keypeg.solver.certificates.writer import NotProven, certify
from keypeg.solver.exact.engine import Engine
from keypeg.solver.progress import Cancelled

SMALL = Board(3, 5)
TOTAL = 451
"""Found by `reference.least` in test_search.py."""
PROVEN = {"classic": 5625, "classic-blanks": 11228}
"""Totals proven by Koyama and Lai (1993) and by Ville (2013)."""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(SMALL, threads=1)


@pytest.fixture(scope="module")
def certificate(engine: Engine) -> Certificate:
    return certify(engine, TOTAL)


def changed(certificate: Certificate, column: str, claim: int, value: int) -> Certificate:
    """The certificate with one number replaced."""
    columns = {name: getattr(certificate, name).copy() for name in ("parents", column)}
    columns[column][claim] = value
    return certificate._replace(**columns)


def without(certificate: Certificate, claim: int) -> Certificate:
    """The certificate without a claim, which no other has as its parent."""
    keep = np.arange(len(certificate.bounds)) != claim
    columns = {
        name: getattr(certificate, name)[keep]
        for name in ("parents", "guesses", "answers", "bounds")
    }
    columns["parents"] = columns["parents"] - (columns["parents"] > claim)
    return certificate._replace(**columns)


def longer(certificate: Certificate, parent: int) -> Certificate:
    """The certificate with its last claim once more, below this parent."""
    return certificate._replace(
        parents=np.append(certificate.parents, np.int32(parent)),
        guesses=np.append(certificate.guesses, certificate.guesses[-1]),
        answers=np.append(certificate.answers, certificate.answers[-1]),
        bounds=np.append(certificate.bounds, certificate.bounds[-1]),
    )


def test_a_certificate_is_checked_after_it_was_written_and_read(certificate: Certificate) -> None:
    again = read(write(certificate))
    assert check(again) == TOTAL
    assert statement(again) == (
        "3 holes, 5 kinds of pegs: no strategy takes fewer than 451 guesses in total"
    )


@pytest.mark.parametrize(
    ("name", "worst", "total"),
    [
        ("2x2", None, 8),
        ("4x4", None, 905),
        ("3x4b", None, 451),
        ("4x5n", None, 462),
        ("3x4", 4, 206),
    ],
)
def test_boards_of_every_kind_have_certificates(name: str, worst: int | None, total: int) -> None:
    engine = Engine(Board.parse(name), worst, threads=1)
    assert check(certify(engine, total)) == total
    with pytest.raises(NotProven, match=f"{name}: a strategy may take fewer than {total + 1:,}"):
        certify(engine, total + 1)


def test_a_limit_on_guesses_is_part_of_what_is_proven() -> None:
    limited = certify(Engine(Board(3, 4), 4, threads=1), 206)
    assert "of at most 4 guesses a code" in statement(limited)
    # Without the limit all regions are easier: no claim says more than is true.
    assert check(limited._replace(limit=None)) == 206


def test_no_bound_above_the_total_is_accepted(certificate: Certificate) -> None:
    with pytest.raises(Rejected, match=r"claim 0, about what is left after no guess: .* only 451"):
        check(changed(certificate, "bounds", 0, TOTAL + 1))


def test_every_claim_is_needed(certificate: Certificate) -> None:
    leaves = set(range(1, len(certificate.bounds))) - set(certificate.parents.tolist())
    assert leaves
    for claim in leaves:
        with pytest.raises(Rejected, match="nothing shows that guess"):
            check(without(certificate, claim))


def test_a_claim_is_not_its_own_parent_nor_that_of_one_before(certificate: Certificate) -> None:
    for parent in (3, 4, -1):
        with pytest.raises(Rejected, match=f"claim 3: its parent, {parent}, does not come before"):
            check(changed(certificate, "parents", 3, parent))


class Truth(dict[tuple[int | None, bytes], int]):
    """What regions take, by trying every guess: claims that are as good as they can be."""

    def __init__(self, game: AnswerTable) -> None:
        super().__init__()
        self.game = game

    def __missing__(self, key: tuple[int | None, bytes]) -> int:
        left, region = key[0], np.frombuffer(key[1], np.int32)
        if left == 0 or len(region) == 1:
            self[key] = 1 if left != 0 else IMPOSSIBLE
            return self[key]
        best, below = IMPOSSIBLE, None if left is None else left - 1
        every = np.arange(len(self.game.codes), dtype=np.int32)
        for line in self.game.answers(region, every).T:
            cells = [region[line == answer] for answer in set(line.tolist())]
            if len(cells) > 1:
                lost = (cell for cell in cells if line[region == cell[0]][0] != self.game.solved)
                best = min(best, len(region) + sum(self[below, cell.tobytes()] for cell in lost))
        self[key] = best
        return best

    def get(self, key: tuple[int | None, bytes], _otherwise: object = None) -> int:
        return self[key]


@pytest.mark.parametrize(
    ("holes", "symbols", "repeats", "limit"),
    [(3, 4, True, None), (3, 4, True, 3), (4, 2, True, 4), (4, 4, False, 3)],
)
def test_a_claim_follows_from_the_truth_about_its_cells_exactly_if_it_is_true(
    holes: int, symbols: int, repeats: bool, limit: int | None
) -> None:
    chance, tried = random.Random(1971), 0
    game = AnswerTable(holes, symbols, repeats)
    truth = Truth(game)
    while tried < 40:
        rows, region = [(0, 0, 0, 0)], np.arange(len(game.codes), dtype=np.int32)
        for _ in range(chance.randint(1, 3)):
            guess = chance.randrange(len(game.codes))
            line = game.answers(region, np.array([guess]))[:, 0]
            answer = chance.choice(sorted(set(line.tolist())))
            if answer == game.solved or (line == answer).all():
                break
            region = region[line == answer]
            rows.append((len(rows) - 1, guess, answer, 0))
        if len(region) > 9:
            continue
        tried += 1
        value = truth[None if limit is None else max(limit - len(rows) + 1, 0), region.tobytes()]
        for bound in (value, value + 1)[: 1 if value == IMPOSSIBLE else 2]:
            rows[-1] = (*rows[-1][:3], bound)
            columns = np.array(rows, np.int32).T
            laid_out = Checker(Certificate(holes, symbols, repeats, limit, *columns))
            laid_out._claimed = truth
            if bound == value:
                laid_out.check_claim(len(rows) - 1)
            else:
                with pytest.raises(Rejected):
                    laid_out.check_claim(len(rows) - 1)


@cache
def value(region: tuple[int, ...]) -> int:
    """What a region takes, by trying everything."""
    every = reference.codes(SMALL)
    found = reference.least(SMALL, [every[code] for code in region])
    assert found is not None
    return found


@settings(max_examples=50)
@given(st.data())
def test_whatever_is_accepted_is_true(certificate: Certificate, data: st.DataObject) -> None:
    """Change any number of a certificate: it is refused, or all that it claims is true."""
    claim = data.draw(st.integers(1, len(certificate.bounds) - 1))
    column = data.draw(st.sampled_from(["parents", "guesses", "answers", "bounds"]))
    before = int(getattr(certificate, column)[claim])
    now = data.draw(st.integers(0, 20) | st.integers(before - 2, before + 2) | st.integers(0, 125))
    wrong = changed(certificate, column, claim, now)
    try:
        check(wrong)
    except Rejected:
        return
    regions = Checker(wrong).regions
    for region, bound in zip(regions[1:], wrong.bounds[1:].tolist(), strict=True):
        if len(region) <= 7:
            assert bound <= value(tuple(region.tolist()))


@settings(max_examples=30)
@given(st.data())
def test_only_what_the_exchanges_of_a_history_make_equal_is_left_out(data: st.DataObject) -> None:
    """Against every exchange there is, applied one by one."""
    holes, symbols, repeats = data.draw(
        st.sampled_from([(3, 4, True), (2, 5, True), (3, 5, False)])
    )
    game = AnswerTable(holes, symbols, repeats)
    codes = [tuple(code) for code in game.codes.tolist()]
    history = data.draw(st.lists(st.sampled_from(range(len(codes))), max_size=2))
    first: dict[tuple[int, ...], tuple[int, ...]] = {code: code for code in codes}
    for order, colours in product(permutations(range(holes)), permutations(range(symbols))):
        image = {code: tuple(colours[code[hole]] for hole in order) for code in codes}
        if all(image[codes[guess]] == codes[guess] for guess in history):
            first = {code: min(first[code], image[code]) for code in codes}
    kept = [codes[guess] for guess in game.representatives(tuple(sorted(set(history))))]
    assert kept == sorted(set(first.values()))


@pytest.mark.parametrize("kept", [0, 1000], ids=["scored", "kept"])
@pytest.mark.parametrize("board", [Board(3, 4), Board(4, 5, repeats=False), Board(7, 2)], ids=str)
def test_answers_are_those_of_the_rules(
    board: Board, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they are kept, as on small boards, or computed when they are asked for."""
    monkeypatch.setattr(checker, "MOST_KEPT", kept)
    game = AnswerTable(board.holes, board.colours, repeats=board.repeats)
    answers, codes = reference.answers(board), reference.codes(board)
    every = np.arange(len(codes), dtype=np.int32)
    for place, line in zip(every, game.answers(every, every[3:]), strict=True):
        assert line.tolist() == [answers.index(score(codes[place], guess)) for guess in codes[3:]]


def test_answers_on_a_board_too_wide_for_a_word_are_those_of_the_rules() -> None:
    game, board = AnswerTable(2, 70, repeats=True), Board(2, 16)
    answers, codes = reference.answers(board), reference.codes(board)
    numbers = np.array([70 * (4 * a + 7) + 4 * b + 7 for a, b in product(range(16), repeat=2)])
    scored = game.answers(numbers.astype(np.int32), numbers.astype(np.int32))
    for line, code in zip(scored, codes, strict=True):
        assert line.tolist() == [answers.index(score(code, guess)) for guess in codes]


def test_a_small_block_gives_the_same_sizes(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker, "BLOCK", 100)
    monkeypatch.setattr(checker, "MOST_GUESSES_KEPT", 200)
    assert check(certificate) == TOTAL
    with pytest.raises(Rejected):
        check(changed(certificate, "bounds", 0, TOTAL + 1))


def test_several_processes_find_what_one_finds(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker, "PART", 4)
    seen: list[tuple[int, int]] = []
    assert check(certificate, 2, lambda done, of: seen.append((done, of))) == TOTAL
    assert seen[-1] == (len(certificate.bounds),) * 2
    with pytest.raises(Rejected, match="claim 0"):
        check(changed(certificate, "bounds", 0, TOTAL + 1), 2)
    last = len(certificate.bounds) - 1
    with pytest.raises(Rejected, match=f"claim {last}, about"):
        check(changed(certificate, "bounds", last, 1000))


@pytest.mark.parametrize(
    "change", [{"holes": 1, "symbols": 300}, {"holes": 8, "symbols": 10**1000}]
)
def test_a_header_with_numbers_that_are_too_large_is_refused(
    certificate: Certificate, change: dict[str, int]
) -> None:
    with pytest.raises(Rejected, match="too large"):
        read(write(certificate._replace(**change)))  # type: ignore[arg-type]


def test_claims_that_say_nothing_new_are_refused(certificate: Certificate) -> None:
    """Otherwise a small file could take all memory."""
    twice, within = (
        longer(certificate, parent)
        for parent in (int(certificate.parents[-1]), len(certificate.parents) - 1)
    )
    with pytest.raises(Rejected, match="an earlier one is about the same codes"):
        check(twice)
    with pytest.raises(Rejected, match="leaves no code of its parent, or all"):
        check(within)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "does not begin like one"),
        (checker.MAGIC, "not a certificate"),
        (checker.MAGIC + b"[]\n", "not a certificate"),
        (checker.MAGIC + b'{"holes": 3}\n', "'symbols'"),
        (
            checker.MAGIC
            + b'{"holes": 0, "symbols": 5, "repeats": true, "limit": null, "claims": 1}\n',
            "a number in its header is not a whole number",
        ),
        (
            checker.MAGIC
            + b'{"holes": 3, "symbols": 5, "repeats": true, "limit": null, "claims": 9}\n123',
            "damaged",
        ),
    ],
)
def test_what_is_no_certificate_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        read(data)


def test_a_cut_or_lengthened_file_is_refused(certificate: Certificate) -> None:
    whole = write(certificate)
    claims = len(certificate.bounds)
    for damaged in (
        whole[:-1],
        whole[:-9],
        whole + b"\0",
        whole.replace(b'"claims": %d' % claims, b'"claims": %d' % (claims - 1)),
    ):
        with pytest.raises(Rejected, match="damaged"):
            read(damaged)


def test_a_board_that_is_too_large_is_refused_before_its_codes_are_listed(
    certificate: Certificate,
) -> None:
    with pytest.raises(Rejected, match="the board has 10,000,000 codes"):
        check(certificate._replace(holes=7, symbols=10))


def test_a_certificate_can_be_stopped_while_it_is_made(engine: Engine) -> None:
    with pytest.raises(Cancelled):
        certify(engine, TOTAL, cancelled=lambda: True)


def test_the_checker_runs_alone(tmp_path: Path, certificate: Certificate) -> None:
    """As a stranger would run it: a copy of the file, without keypeg."""
    alone = tmp_path / "checker.py"
    alone.write_text(Path(checker.__file__).read_text())
    (tmp_path / "good").write_bytes(write(certificate))
    (tmp_path / "wrong").write_bytes(write(changed(certificate, "bounds", 0, TOTAL + 1)))
    good, wrong = (
        run([sys.executable, "-I", str(alone), str(tmp_path / name)]) for name in ("good", "wrong")
    )
    assert (good.returncode, good.stdout.strip()) == (0, statement(certificate))
    assert wrong.returncode == 1
    assert "claim 0" in wrong.stderr


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_the_certificates_that_come_with_keypeg_prove_what_is_known(path: Path) -> None:
    found = read(path.read_bytes())
    if path.stem in PROVEN:
        assert found.bound == PROVEN[path.stem]
    else:  # a lower bound of a board that has a book
        assert found.bound < read_book(books()[path.stem]).claim.total
    board = Board.parse(path.stem)
    assert (found.holes, found.symbols, found.repeats) == (
        board.holes,
        len(board.symbols),
        board.repeats,
    )
    if len(found.bounds) < 10_000:
        check(found)
