"""What travels on the wire: what a client may say, and everything it can be told.

Every message on a socket is a JSON object with a `type`. Unknown fields, wrong types, repeated
keys and numbers out of range are refused, never guessed at. Nothing here decides what a seat may
see: events are redacted before they become messages.

`commands` and `requests` come in, on the socket and over HTTP, and `reading` reads them; `updates`
and `replies` go out, made of `events`, `tables` and `advice`. `daily` is all of the daily code.
`fields` has the range of each value.
"""

from keypeg.messages.advice import HintOut, RepairOut, Review, ReviewedRow
from keypeg.messages.commands import (
    Answer,
    Challenge,
    Claim,
    ClientIn,
    CommandIn,
    Guess,
    Hello,
    NextGame,
    OfferTime,
    Ping,
    Rematch,
    Resign,
    SetSecret,
    command_in,
    command_out,
)
from keypeg.messages.daily import (
    AskDailyToken,
    DailyAnswer,
    DailyCount,
    DailyDay,
    DailyDays,
    DailyEnding,
    DailyGuess,
    DailyOut,
    DailyRow,
    DailySeal,
    DailyToken,
)
from keypeg.messages.events import EntryOut, event_in, event_out, sent_as
from keypeg.messages.fields import Options
from keypeg.messages.reading import check_json, read_body, read_message
from keypeg.messages.replies import Choices, Health, ListedTable, Problem, Seated, TicketOut
from keypeg.messages.requests import AnsweredRow, AskHint, AskTicket, NewTable, Question, TakeSeat
from keypeg.messages.tables import (
    BoardOut,
    GameOut,
    PointsOut,
    Presence,
    ResultOut,
    RowOut,
    SeatHolder,
    Status,
    TableOut,
)
from keypeg.messages.updates import (
    Ack,
    ClientOut,
    Error,
    Missed,
    Present,
    Refused,
    Snapshot,
    Time,
    Update,
    Welcome,
)

__all__ = [
    "Ack",
    "Answer",
    "AnsweredRow",
    "AskDailyToken",
    "AskHint",
    "AskTicket",
    "BoardOut",
    "Challenge",
    "Choices",
    "Claim",
    "ClientIn",
    "ClientOut",
    "CommandIn",
    "DailyAnswer",
    "DailyCount",
    "DailyDay",
    "DailyDays",
    "DailyEnding",
    "DailyGuess",
    "DailyOut",
    "DailyRow",
    "DailySeal",
    "DailyToken",
    "EntryOut",
    "Error",
    "GameOut",
    "Guess",
    "Health",
    "Hello",
    "HintOut",
    "ListedTable",
    "Missed",
    "NewTable",
    "NextGame",
    "OfferTime",
    "Options",
    "Ping",
    "PointsOut",
    "Presence",
    "Present",
    "Problem",
    "Question",
    "Refused",
    "Rematch",
    "RepairOut",
    "Resign",
    "ResultOut",
    "Review",
    "ReviewedRow",
    "RowOut",
    "SeatHolder",
    "Seated",
    "SetSecret",
    "Snapshot",
    "Status",
    "TableOut",
    "TakeSeat",
    "TicketOut",
    "Time",
    "Update",
    "Welcome",
    "check_json",
    "command_in",
    "command_out",
    "event_in",
    "event_out",
    "read_body",
    "read_message",
    "sent_as",
]
