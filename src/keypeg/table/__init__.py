"""A table, where series are played one after another: commands go in, events come out.

    log = await SqlLog.open("sqlite:///keypeg.db")     # keypeg.store.sql; "sqlite://" is temporary
    tables = Tables(log)                               # all tables of this process
    await tables.start()                               # takes up running clocks, credits downtime
    table = await tables.open(Open(settings, Seat.ONE, "Ada", token_hash))
    table = await tables.get(table_id)                 # or NoSuchTable

    reply = await table.handle(seat, command_id, command, tables.clock.now(), expected=seq)
    reply.seq, reply.entry                             # on disk by now; a repeat gets the same

    table.state                                        # State: seats, series, totals, turn
    table.state.seat_of(token_hash)                    # whose token this is
    options.options(table.state, seat)                 # what the seat may do now, as data
    table.view(seat, after=seq)                        # tuple of Seen; seat None is a spectator
    stop = table.watch(callback)                       # callback(seq) after each entry; stop() ends
    table.presence.arrive(seat); table.presence.leave(seat, clock.now())
    table.deadline                                     # on clock.now(), None while no clock runs
    table.record(seat)                                 # the series as a rules.notation.Record
    await table.catch_up()                             # another process wrote: read on
    await tables.close(); await log.close()

`handle` raises a KeypegError that says why not: the rules' CannotRead, AgainstTheRules and
NotYourTurn; the table's own in `errors` (Conflict with `seq`: CommandReused, Stale; NotReady,
SeatHeld, TooLate, TooEarly, HintsOff); the store's Unavailable (try again) and Broken (exit).
"""

from keypeg.rules.series import Seat
from keypeg.store.events import Computer, Person, Settings
from keypeg.table.commands import Command, Open
from keypeg.table.handler import Reply
from keypeg.table.state import State
from keypeg.table.table import Table
from keypeg.table.tables import Tables
from keypeg.table.view import Seen

__all__ = [
    "Command",
    "Computer",
    "Open",
    "Person",
    "Reply",
    "Seat",
    "Seen",
    "Settings",
    "State",
    "Table",
    "Tables",
]
