"""All faults, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harness.faults.clocks import turned_clock
from harness.faults.contests import kills_in_a_contest
from harness.faults.disks import failing_disk, full_disk, power_cuts
from harness.faults.four_servers import four_servers
from harness.faults.kills import kills_on_postgresql, kills_on_sqlite
from harness.faults.matches import kills_at_matches
from harness.faults.syncs import synced_before_told
from harness.faults.weather import bad_weather

if TYPE_CHECKING:
    from harness.faults.rounds import Scenario

SCENARIOS: Final[dict[str, Scenario]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        kills_on_sqlite,
        kills_on_postgresql,
        kills_at_matches,
        kills_in_a_contest,
        full_disk,
        failing_disk,
        bad_weather,
        turned_clock,
        synced_before_told,
        power_cuts,
        four_servers,
    )
}
