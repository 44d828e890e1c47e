import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.commitment import Opening, seal
from keypeg.rules.errors import KeypegError
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Event,
    Guessed,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.notation import (
    FIRST_LINE,
    MOST_CHARACTERS,
    Comment,
    Record,
    RecordRefused,
    format_event,
    format_record,
    parse_event,
    parse_record,
)
from keypeg.rules.referee import play, verdict
from keypeg.rules.series import Points, Result, Seat
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from tests.rules.strategies import boards, codes, key_pegs, openings, terms

TYPED = """\
keypeg record 1
Board: classic
key pegs: by-hand
one: Ann
two: Bob

# The books' example A, answered wrongly.
secret RD WH BU GN
guess wh yw bu bk
answer 2 0          # should be 1 1
challenge upheld
reveal rwbg
close

secret 1524
guess 1524
answer 40
reveal 1524
close

secret YYYY
guess RRRR
answer 00
guess YYYY
answer 4b
reveal YW YW YW YW
close
"""


def test_a_typed_record_is_read_and_played() -> None:
    record = parse_record(TYPED)
    assert record.players == ("Ann", "Bob")
    assert record.terms == Terms(Board(4, 6), key_pegs=KeyPegMode.BY_HAND)
    assert record.events[:3] == (
        parse_event("secret RWBG", record.terms.board),
        Guessed((5, 3, 2, 6)),
        Answered(KeyPegs(2, 0)),
    )
    assert Comment("should be 1 1") in record.entries
    assert record.replay().result == Result(Seat.TWO, Points(one=1, two=3 + 2))


def test_only_the_board_must_be_given() -> None:
    assert parse_record(f"{FIRST_LINE}\nboard: 5x8b\n") == Record(Terms(Board(5, 8, blanks=True)))


def test_a_record_is_written_for_people() -> None:
    record = parse_record(TYPED)
    lines = format_record(record).splitlines()
    assert lines[:10] == [
        "keypeg record 1",
        "series: record",
        "board: classic",
        "games: 2",
        "key pegs: by-hand",
        "scoring: rows",
        "turn limit: none",
        "first maker: one",
        "one: Ann",
        "two: Bob",
    ]
    assert "guess WH YW BU BK" in lines
    assert "answer 2b0w" in lines


def test_windows_line_ends_are_read() -> None:
    assert parse_record(TYPED.replace("\n", "\r\n")) == parse_record(TYPED)


def events(board: Board) -> st.SearchStrategy[Event]:
    hexes = st.binary(min_size=32, max_size=32).map(bytes.hex)
    return st.one_of(
        st.builds(SecretSet, st.none() | openings(board), st.none() | hexes, st.booleans()),
        st.builds(lambda code: SecretSet(Opening(code)), codes(board)),
        st.builds(Guessed, codes(board)),
        st.builds(Answered, key_pegs(board), st.booleans()),
        st.just(RowExpired()),
        st.builds(Challenged, st.booleans()),
        st.builds(Resigned, st.sampled_from(Role)),
        st.builds(Abandoned, st.sampled_from(Role)),
        st.builds(Revealed, openings(board)),
        st.just(Closed()),
    )


@given(st.data(), boards())
def test_every_event_reads_back_from_its_line(data: st.DataObject, board: Board) -> None:
    event = data.draw(events(board))
    assert parse_event(format_event(event, board), board) == event


names = st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"]), max_size=40).filter(
    lambda name: name == name.strip() and name.isprintable()
)


@st.composite
def records(draw: st.DrawFn) -> Record:
    """A record of random play: every event that the rules allow, with comments between."""
    agreed = draw(terms(boards(most_holes=4, most_colours=4)))
    record = Record(
        agreed,
        series_id=draw(st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)),
        first_maker=draw(st.sampled_from(Seat)),
        players=(draw(names), draw(names)),
    )
    entries: list[Event | Comment] = []
    series = record.start
    for _ in range(draw(st.integers(0, 25))):
        if draw(st.integers(0, 9)) == 0:
            entries.append(Comment(draw(names)))
        event = draw(events(agreed.board))
        try:
            if series.game is not None:
                if isinstance(event, SecretSet) and draw(st.booleans()):
                    opening = Opening(draw(codes(agreed.board)), bytes(32))
                    event = SecretSet(opening, seal(agreed.board, series.game.id, opening))
                event = verdict(series.game) if isinstance(event, Challenged) else event
            series, happened = play(series, event)
            entries += happened
        except KeypegError:
            continue
    return Record(agreed, tuple(entries), record.series_id, record.first_maker, record.players)


@given(records())
@settings(max_examples=60)
def test_every_record_reads_back_exactly(record: Record) -> None:
    text = format_record(record)
    assert parse_record(text) == record
    assert format_record(parse_record(text)) == text


def refused(text: str) -> RecordRefused:
    with pytest.raises(RecordRefused) as refusal:
        parse_record(text)
    assert str(refusal.value).startswith(
        f"line {refusal.value.line}, column {refusal.value.column}: "
    )
    return refusal.value


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "reason"),
    [
        ("keypeg record 1", "keypeg record 2", 1, 1, "begins with 'keypeg record 1'"),
        ("Board: classic", "Board: 4y6", 2, 8, "'4y6' is not a valid board"),
        ("Board: classic", "Colour: red", 2, 1, "'colour' is not a header field; use series"),
        ("Board: classic\n", "", 2, 1, "needs a header line like 'board: classic'"),
        ("one: Ann", "games: 3", 4, 8, "3 is odd: play 4"),
        ("one: Ann", "games: x", 4, 8, "'x' is not a whole number"),
        ("one: Ann", "scoring: luck", 4, 10, "'luck' is not one of rows, key-pegs"),
        ("one: Ann", "turn limit: 0", 4, 13, "1 to 86400 whole seconds"),
        ("one: Ann", "series: a b", 4, 9, "'a b' is not a valid series id"),
        ("one: Ann", "one: " + "n" * 41, 4, 6, "at most 40 printable characters"),
        ("one: Ann", "board: 5x8", 4, 1, "'board' is given twice"),
        ("guess wh yw bu bk", "guess wh yw xx bk", 9, 13, "peg 3 (column 13): 'xx' is not a peg"),
        ("guess wh yw bu bk", "  guess wh yw bu", 9, 9, "has 4 pegs; 'wh yw bu' has 3"),
        ("guess wh yw bu bk", "gess wh yw bu bk", 9, 1, "'gess' is not an event; use one of"),
        ("answer 2 0 ", "answer 3 1 ", 10, 8, "3 black and 1 white cannot occur"),
        ("challenge upheld", "challenge maybe", 11, 11, "should read: challenge upheld|rejected"),
        ("challenge upheld", "challenge rejected", 11, 1, "this challenge must be upheld"),
        ("reveal rwbg", "reveal rrrr", 12, 1, "not the secret that was set"),
        ("reveal rwbg", "reveal rwbg nonce 12", 12, 8, "64 hexadecimal digits, not '12'"),
        ("close\n\nsecret 1524", "\nsecret 1524", 14, 1, "the secret has already been set"),
        ("close\n\nsecret 1524", "\nguess 1524", 14, 1, "the game is over"),
        ("# should be", "# should\x00be", 10, 21, "one short line of text"),
        ("one: Ann", "games: 1000000000", 4, 8, "2 to 100 games"),
    ],
)
def test_a_refused_record_says_line_column_and_reason(
    old: str, new: str, line: int, column: int, reason: str
) -> None:
    assert TYPED.count(old) >= 1
    refusal = refused(TYPED.replace(old, new, 1))
    assert (refusal.line, refusal.column) == (line, column)
    assert reason in refusal.reason


def test_comments_may_stand_in_the_header() -> None:
    text = f"{FIRST_LINE}\n# ours\nboard: classic\n  # and\ttheirs \u200d\ngames: 4\nsecret RRRR"
    record = parse_record(text)
    assert record.terms.games == 4
    assert record.entries[:2] == (Comment("ours"), Comment("and\ttheirs \u200d"))
    assert parse_record(format_record(record)) == record


def test_a_byte_order_mark_is_passed_over() -> None:
    assert parse_record("\ufeff" + TYPED) == parse_record(TYPED)


def test_what_is_said_of_a_secret_may_come_in_any_order() -> None:
    nonce, seal = "ab" * 32, "cd" * 32
    board = Board(4, 6)
    one = parse_event(f"secret RWBG nonce {nonce} seal {seal} expired", board)
    assert one == parse_event(f"secret RWBG expired SEAL {seal} nonce {nonce.upper()}", board)


@pytest.mark.parametrize(
    "line", ["secret RWBG seal", "secret RWBG expired expired", "secret RWBG nonce 1 x"]
)
def test_what_is_said_of_a_secret_is_said_once_and_whole(line: str) -> None:
    with pytest.raises(KeypegError, match=r"should read: secret CODE|64 hexadecimal digits"):
        parse_event(line, Board(4, 6))


def test_a_line_has_at_most_600_characters() -> None:
    parse_record(f"{FIRST_LINE}\nboard: classic\n#" + "x" * 598 + "\n")
    refusal = refused(f"{FIRST_LINE}\nboard: classic\n#" + "x" * 600)
    assert (refusal.line, refusal.column) == (3, 601)


def test_many_replays_are_folded_once_each() -> None:
    """Counted, not timed: a fold over n games must not look at every earlier game again."""
    void = "secret RRRR\nguess BBBB\nanswer 10\nchallenge upheld\nreveal RRRR\nclose\n"
    record = parse_record(f"{FIRST_LINE}\nboard: classic\nkey pegs: by-hand\n" + void * 2_000)
    series = record.replay()
    assert (series.number, series.attempt, series.points.two) == (1, 2_001, 6_000)
    assert sum(1 for _ in series.makers()) == 2_001


def test_a_record_has_not_too_many_lines() -> None:
    refusal = refused(TYPED + "#\n" * 50_000)
    assert (refusal.line, refusal.reason) == (50_001, "a record has at most 50,000 lines")


def test_a_hidden_secret_shows_no_nonce() -> None:
    text = f"{FIRST_LINE}\nboard: classic\nsecret hidden nonce {'0' * 64}\n"
    assert "leave it out" in refused(text).reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        FIRST_LINE,
        "x" * (MOST_CHARACTERS + 1),
        f"{FIRST_LINE}\nboard: classic\n" + "guess " + "R" * 100_000,
        f"{FIRST_LINE}\nboard: classic\n" + "#" * 10_000,
        f"{FIRST_LINE}\nboard: classic\nsecret " + "nonce " * 90,
        f"{FIRST_LINE}\nboard: classic\nsecret " + " " * 500 + "x",
    ],
)
def test_a_hostile_file_is_refused_in_one_short_line(text: str) -> None:
    assert len(str(refused(text))) < 400


def test_a_file_over_the_limit_is_refused_before_any_of_it_is_read() -> None:
    refusal = refused(TYPED + "nonsense\n" * (MOST_CHARACTERS // 9))
    assert (refusal.line, refusal.column) == (1, 1)
    assert "at most 2,000,000 characters" in refusal.reason


@given(st.text())
def test_any_text_is_read_or_refused_and_nothing_worse(text: str) -> None:
    for candidate in (text, f"{FIRST_LINE}\nboard: 4x6\n{text}", f"{FIRST_LINE}\n{text}"):
        try:
            parse_record(candidate)
        except RecordRefused as refusal:
            assert refusal.line >= 1
            assert refusal.column >= 1


def test_comments_and_names_stay_on_their_line() -> None:
    with pytest.raises(KeypegError, match="one short line of text"):
        Comment("two\nlines")
    with pytest.raises(KeypegError, match="not a valid name"):
        Record(Terms(Board(4, 6)), players=("Ann\nguess RRRR", ""))
    with pytest.raises(KeypegError, match="not a valid name"):
        Record(Terms(Board(4, 6)), players=("\u202eAnn", ""))
    with pytest.raises(KeypegError, match="two players"):
        Record(Terms(Board(4, 6)), players=("Ann", "Bob", "Cy"))  # type: ignore[arg-type]


def test_scoring_and_time_are_written_and_read() -> None:
    agreed = Terms(Board(4, 6), 4, KeyPegMode.CHECKED, Scoring.KEY_PEGS, 240)
    record = Record(agreed, (), "s", Seat.TWO, ("Ann", ""))
    assert parse_record(format_record(record)) == record
