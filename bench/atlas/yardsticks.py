"""The totals that the browser's page measures players against."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.atlas.finding import PROVEN

if TYPE_CHECKING:
    from bench.atlas.records import Record

YARDSTICKS: Final = Path(__file__).parents[2] / "src/keypeg/web/game/yardsticks.js"

_BEGINS, _ENDS = "export const BEST_TOTALS = {\n", "};\n"
_EACH_LINE: Final = 6


def with_totals(module: str, records: dict[str, Record]) -> str:
    """The text of the module with the totals of these records."""
    before, _, rest = module.partition(_BEGINS)
    _, _, after = rest.partition(_ENDS)
    totals = [
        f'"{name}": [{record["total"]}, {"true" if record["status"] == PROVEN else "false"}],'
        for name, record in records.items()
        if "total" in record
    ]
    lines = (
        f"  {' '.join(totals[start : start + _EACH_LINE])}\n"
        for start in range(0, len(totals), _EACH_LINE)
    )
    return "".join([before, _BEGINS, *lines, _ENDS, after])
