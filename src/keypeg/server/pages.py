"""What a browser loads: the web folder once there is one, and until then one honest page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from litestar import MediaType, get
from litestar.static_files import create_static_files_router

if TYPE_CHECKING:
    from litestar.types import ControllerRouterHandler

WEB: Final = Path(__file__).parent.parent / "web"

_INDEX: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>keypeg</title>
<h1>keypeg</h1>
<p>A server for Mastermind, the code-breaking board game. It plays over HTTP and WebSocket;
the board in the browser is not here yet.</p>
<ul>
<li><a href="/schema">What it can be asked (OpenAPI)</a></li>
<li><a href="/api/tables">Public tables</a></li>
<li><a href="/healthz">Is it well?</a></li>
</ul>
</html>
"""


def page_routes() -> list[ControllerRouterHandler]:
    """The routes of everything that is not the interface for programs."""
    if (WEB / "index.html").is_file():
        return [
            create_static_files_router(
                path="/", directories=[WEB], html_mode=True, include_in_schema=False
            )
        ]
    return [index]


@get("/", media_type=MediaType.HTML, include_in_schema=False)
async def index() -> str:
    """The one page."""
    return _INDEX
