"""What happens in a race or a duel, for a person and for a program.

Views of a match replace one another. What is told is how a view differs from the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from keypeg.rules.board import Board
from keypeg.rules.code import describe_code, format_code
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.errors import counted
from keypeg.rules.keypegs import KeyPegs, describe_key_pegs
from keypeg.rules.match.state import MatchStage
from keypeg.rules.match.terms import Goal, MatchKind, Pace
from keypeg.rules.terms import KeyPegMode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.messages import MatchCode, MatchOut, MatchPlayer, MatchRow


class Told(NamedTuple):
    """One thing that happened: its name and data for a program, and lines for a person."""

    event: str
    data: dict[str, Any]
    lines: tuple[str, ...]


def board_of(match: MatchOut) -> Board:
    """The board of a match."""
    return Board.parse(match.board.name)


def me(match: MatchOut) -> MatchPlayer | None:
    """The player here; None for a spectator."""
    return next((player for player in match.players if player.you), None)


def others(match: MatchOut) -> list[MatchPlayer]:
    """Everybody else."""
    return [player for player in match.players if not player.you]


def called(match: MatchOut, number: int) -> str:
    """What a player is called; equal names get the number of the player added."""
    names = {player.number: _name(player) for player in match.players}
    name = names.get(number, f"Player {number}")
    return f"{name} ({number})" if list(names.values()).count(name) > 1 else name


def _name(player: MatchPlayer) -> str:
    if player.level is not None:
        return f"Computer ({player.level})"
    return player.name or f"Player {player.number}"


def listed(names: list[str]) -> str:
    """Names in a sentence."""
    *most, last = names or [""]
    return f"{', '.join(most)} and {last}" if most else last


def introduced(match: MatchOut, link: str | None) -> Told:
    """What is played, by whom, and how to come here."""
    kind, board = match.kind.value, match.board
    players = [_player_data(player) for player in match.players]
    data = {
        "link": link,
        "id": match.id,
        "kind": kind,
        "board": board.name,
        "pace": match.pace.value,
        "goal": match.goal.value,
        "keys_shown": match.keys_shown,
        "key_pegs": match.key_pegs.value,
        "row_seconds": match.row_seconds,
        "places": match.places,
        "stage": match.stage.value,
        "you": match.you,
        "game": match.game,
        "seal": match.seal,
        "players": players,
    }
    time = time_words(match.row_seconds)
    lines = [f"A {kind} on {board.name}: {counted(board.rows, 'row')}, {time} for each."]
    lines.extend(_terms(match))
    lines.extend(seal_lines(match))
    lines.append(f"Players: {listed(_described(match))}.")
    if match.you is None and match.stage is not MatchStage.WAITING:
        lines.append("You watch.")
    return Told("match", data, tuple(lines))


def _described(match: MatchOut) -> list[str]:
    return [
        called(match, player.number) + (" (you)" if player.you else "") for player in match.players
    ]


def _terms(match: MatchOut) -> Iterator[str]:
    """How it is played, in a line or two."""
    race = match.kind is MatchKind.RACE
    what = "Everybody breaks the same code" if race else "Each breaks the code of the other"
    goal = "the fastest wins" if match.goal is Goal.TIME else "fewer rows win"
    yield f"{what}; {goal}."
    if match.pace is Pace.TOGETHER:
        yield "Each row is answered when all have filled it."
    if match.key_pegs is KeyPegMode.BY_HAND:
        yield "You place the key pegs for each other."
    if not match.keys_shown:
        yield "The others' key pegs are hidden until the end."


def time_words(seconds: int) -> str:
    """A length of time: `3 minutes`, `90 seconds`."""
    minutes, rest = divmod(seconds, 60)
    return counted(seconds, "second") if rest or not minutes else counted(minutes, "minute")


def clock_words(seconds: float) -> str:
    """What is left on a clock: `2:05`."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes}:{rest:02}"


def seal_lines(match: MatchOut) -> Iterator[str]:
    """The seals of all codes that are set."""
    if match.seal is not None:
        yield f"Sealed: {match.seal}"
    for player in match.players:
        if player.seal is not None:
            whose = "you break" if player.you else f"{called(match, player.number)} breaks"
            yield f"Sealed, the code that {whose}:"
            yield f"  {player.seal}"


def _player_data(player: MatchPlayer) -> dict[str, Any]:
    return {
        "player": player.number,
        "name": player.name,
        "level": player.level,
        "you": player.you,
    }


def happened(before: MatchOut, now: MatchOut) -> Iterator[Told]:
    """What has happened since `before`, in the order to be told."""
    yield from _came_and_went(before, now)
    yield from _begun(before, now)
    yield from _rows(before, now)
    for challenge in now.challenges[len(before.challenges) :]:
        yield _challenge(now, challenge.player, upheld=challenge.upheld)
    for old, player in _pairs(before, now):
        if player.done and not old.done and player.ending != "wrong-information":
            yield _done(now, player)
    if now.stage is not before.stage and now.stage in (MatchStage.OVER, MatchStage.CANCELLED):
        yield _end(before, now)


def _pairs(before: MatchOut, now: MatchOut) -> Iterator[tuple[MatchPlayer, MatchPlayer]]:
    known = {player.number: player for player in before.players}
    for player in now.players:
        if player.number in known:
            yield known[player.number], player


def _came_and_went(before: MatchOut, now: MatchOut) -> Iterator[Told]:
    old, new = ({player.number for player in match.players} for match in (before, now))
    for match, numbers, what in ((now, new - old, "joined"), (before, old - new, "left")):
        for player in match.players:
            if player.number in numbers and not player.you:
                line = f"{called(match, player.number)} has {what}."
                yield Told("player", {**_player_data(player), "what": what}, (line,))


def _begun(before: MatchOut, now: MatchOut) -> Iterator[Told]:
    if now.stage is before.stage or now.stage not in (MatchStage.SETTING, MatchStage.PLAYING):
        return
    seals = {player.number: player.seal for player in now.players if player.seal is not None}
    data = {
        "stage": now.stage.value,
        "seal": now.seal,
        "seals": [{"player": number, "seal": seal} for number, seal in seals.items()],
        "players": [_player_data(player) for player in now.players],
    }
    if now.stage is MatchStage.SETTING:
        yield Told("begin", data, ("The duel begins: both set a code.",))
        return
    first = f"The {now.kind.value} has begun: {listed(_described(now))}."
    seals_told = () if before.stage is MatchStage.WAITING and now.seal else seal_lines(now)
    yield Told("begin", data, (first, *seals_told))


def _rows(before: MatchOut, now: MatchOut) -> Iterator[Told]:
    """Rows that were filled, answered or left empty; what the end reveals of others is not told."""
    for old, player in _pairs(before, now):
        known = old.rows
        if known is None or player.rows is None:
            continue
        for number, row in enumerate(player.rows, 1):
            former = known[number - 1] if number <= len(known) else None
            if former is None or (former.black is None and row.black is not None):
                yield from _row(now, player, number, row)


def _row(match: MatchOut, player: MatchPlayer, number: int, row: MatchRow) -> Iterator[Told]:
    answered = row.black is not None or row.expired
    if not answered and (not player.you or match.stage is not MatchStage.PLAYING):
        return
    yield Told("row", _row_data(match, player, number, row), (row_line(match, player, number),))


def row_line(match: MatchOut, player: MatchPlayer, number: int) -> str:
    """A row as a screen reader hears it."""
    row, board = (player.rows or ())[number - 1], board_of(match)
    start = f"Row {number}" if player.you else f"{called(match, player.number)}, row {number}"
    if row.expired:
        return f"{start}: time ran out"
    code = "" if row.code is None else f"{format_code(row.code, board)}   "
    if row.black is None or row.white is None:
        return f"{start}: {code}not answered yet"
    return f"{start}: {code}{describe_key_pegs(KeyPegs(row.black, row.white), board)}"


def _row_data(match: MatchOut, player: MatchPlayer, number: int, row: MatchRow) -> dict[str, Any]:
    return {
        "player": player.number,
        "you": player.you,
        "row": number,
        "guess": row.code and format_code(row.code, board_of(match)),
        "black": row.black,
        "white": row.white,
        "expired": row.expired,
    }


def _challenge(match: MatchOut, number: int, *, upheld: bool) -> Told:
    verdict = "upheld: an answer was wrong" if upheld else "rejected: every answer is right"
    who = "You challenge" if number == match.you else f"{called(match, number)} challenges"
    data = {"player": number, "you": number == match.you, "upheld": upheld}
    return Told("challenge", data, (f"{who} the answers. The challenge is {verdict}.",))


def _done(match: MatchOut, player: MatchPlayer) -> Told:
    rows = None if player.rows is None else len(player.rows)
    data = {"player": player.number, "you": player.you, "ending": player.ending, "rows": rows}
    return Told("done", data, (_done_sentence(match, player, rows),))


def _done_sentence(match: MatchOut, player: MatchPlayer, rows: int | None) -> str:
    name = called(match, player.number)
    subject, has = ("You", "have") if player.you else (name, "has")
    if player.ending == "broken" and rows is not None:
        return f"{subject} {has} broken the code in {counted(rows, 'row')}."
    if player.ending == "gave-up":
        return f"{subject} {has} given up."
    if player.ending == "unbroken":
        return f"{subject} {has} not broken the code."
    return f"{subject} {'are' if player.you else 'is'} done."


def ended(match: MatchOut) -> Iterator[Told]:
    """How a match that is over has ended, for somebody who comes after that."""
    yield _end(match, match)


def _end(before: MatchOut, now: MatchOut) -> Told:
    if now.stage is MatchStage.CANCELLED:
        return Told("end", {"cancelled": True, "players": [], "codes": []}, ("It is cancelled.",))
    codes = [_code_data(before, now, code) for code in now.codes or ()]
    data = {
        "cancelled": False,
        "players": [
            {
                **_player_data(player),
                "place": player.place,
                "ending": player.ending,
                "rows": player.needed,
                "milliseconds": player.milliseconds,
            }
            for player in now.players
        ],
        "codes": codes,
    }
    lines = [f"The {now.kind.value} is over: {_winners(now)}.", *standing_lines(now)]
    lines.extend(line for code in codes for line in _code_lines(now, code))
    return Told("end", data, tuple(lines))


def _winners(match: MatchOut) -> str:
    """Who has won, as the end of a sentence."""
    first = [player for player in match.players if player.place == 1]
    if len(first) == 1:
        (winner,) = first
        return "you win" if winner.you else f"{called(match, winner.number)} wins"
    if len(first) == len(match.players):
        broken = first[0].needed is not None
        return "it is a tie" if broken else "nobody has broken the code"
    names = ["you" if player.you else called(match, player.number) for player in first]
    return f"{listed(names)} share the first place"


def standing_lines(match: MatchOut) -> Iterator[str]:
    """The places, the best first."""
    for player in sorted(match.players, key=lambda one: (one.place or 0, one.number)):
        you = " (you)" if player.you else ""
        yield f"  {player.place}. {called(match, player.number)}{you}: {_result(match, player)}"


def _result(match: MatchOut, player: MatchPlayer) -> str:
    if player.ending == "wrong-information":
        return "gave a wrong answer, and loses"
    if player.needed is None:
        return "gave up" if player.ending == "gave-up" else "not broken"
    rows = f"broken in {counted(player.needed, 'row')}"
    if player.milliseconds is None:
        return rows
    exact = 3 if match.goal is Goal.TIME else 1
    return f"{rows}, {player.milliseconds / 1000:,.{exact}f} s"


def _code_data(before: MatchOut, now: MatchOut, code: MatchCode) -> dict[str, Any]:
    """A code that was revealed, and whether it opens the seal that was shown before."""
    board, opening = board_of(now), Opening(code.code, bytes.fromhex(code.nonce))
    sealed = [
        (match.game, match.seal)
        if code.player is None
        else next((p.game, p.seal) for p in match.players if p.number == code.player)
        for match in (before, now)
    ]
    game, seal = next(((g, s) for g, s in sealed if g is not None and s is not None), ("", ""))
    return {
        "player": code.player,
        "code": format_code(code.code, board),
        "nonce": code.nonce,
        "verified": opens(seal, board, game, opening),
    }


def _code_lines(match: MatchOut, code: dict[str, Any]) -> tuple[str, str]:
    number, board = code["player"], board_of(match)
    pegs = next(one.code for one in match.codes or () if one.player == number)
    whose = "The code"
    if number is not None:
        breaks = "you had to break" if number == match.you else None
        whose = f"The code that {breaks or called(match, number) + ' had to break'}"
    fixed = "verified: it was fixed from the start" if code["verified"] else "NOT verified"
    return f"{whose}: {describe_code(pegs, board)}.", f"  The seal is {fixed}."


def all_rows(match: MatchOut) -> Iterator[str]:
    """All rows that may be seen, those of the player here first."""
    for player in sorted(match.players, key=lambda one: not one.you):
        name = called(match, player.number)
        if player.rows is None:
            yield f"{name}: hidden until the end."
        elif not player.rows:
            yield "You have no rows yet." if player.you else f"{name} has no rows yet."
        for number in range(1, len(player.rows or ()) + 1):
            yield row_line(match, player, number)


def player_lines(match: MatchOut, now: float) -> Iterator[str]:
    """Everybody, and what they are doing; `now` is by the server's clock, in milliseconds."""
    for player in match.players:
        you = " (you)" if player.you else ""
        yield f"{called(match, player.number)}{you}: {_doing(match, player, now)}"


def _doing(match: MatchOut, player: MatchPlayer, now: float) -> str:
    here = "" if player.here or player.you else ", not connected"
    if match.stage in (MatchStage.WAITING, MatchStage.CANCELLED):
        return "has joined" + here
    if match.stage is MatchStage.OVER:
        return _result(match, player)
    if player.done:
        return {"broken": "has broken the code", "gave-up": "has given up"}.get(
            player.ending or "", "is done"
        ) + here
    row = "" if player.rows is None else f"row {_current(player)}"
    left = None if player.due is None else f"{clock_words((player.due - now) / 1000)} left"
    doing = ["has filled the row" if player.filled else row, "" if player.filled else left or ""]
    return (", ".join(filter(None, doing)) or "is playing") + here


def _current(player: MatchPlayer) -> int:
    """The row that a player is at."""
    rows = player.rows or ()
    waits = bool(rows) and rows[-1].black is None and not rows[-1].expired
    return len(rows) if waits else len(rows) + 1
