"""What a browser loads: the pages, and the modules, styles and pictures they are made of.

Everything is read once, when the server starts. Assets live under an address that carries a
digest of them all, so browsers may keep them for ever and never mix two versions.
"""

from __future__ import annotations

import hashlib
import io
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import segno
from litestar import MediaType, Request, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from keypeg.server.addresses import is_loopback, url_of
from keypeg.server.guard import ASSETS
from keypeg.server.services import Services

if TYPE_CHECKING:
    from litestar.types import ControllerRouterHandler

WEB: Final = Path(__file__).parent.parent / "web"
FRAME: Final = WEB / "frame.html"
KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""The kinds of files that are served, each with its media type."""

_COMMENT: Final = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*$", re.MULTILINE | re.DOTALL)
_FOR_EVER: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
_EACH_TIME: Final = {"Cache-Control": "no-cache"}


class Site(NamedTuple):
    """All that browsers load, in memory: assets by their path, pages by their name."""

    assets: dict[str, bytes]
    pages: dict[str, bytes]
    digest: str


@cache
def site() -> Site:
    """The web folder, read."""
    files = {path.relative_to(WEB).as_posix(): path for path in sorted(WEB.rglob("*.*"))}
    assets = {name: _served(path) for name, path in files.items() if path.suffix in KINDS}
    digest = hashlib.sha256()
    for name, content in assets.items():
        digest.update(name.encode() + b"\0" + content + b"\0")
    version = digest.hexdigest()[:12]
    pages = {
        path.stem: _framed(path).replace(ASSETS, f"{ASSETS}{version}/").encode()
        for path in WEB.glob("*.html")
        if path != FRAME
    }
    return Site(assets, pages, version)


def _served(path: Path) -> bytes:
    """A file as it travels: without the comments, which are a quarter of a module.

    Their lines stay, so that an error in the browser names the line in the source.
    """
    if path.suffix != ".js":
        return path.read_bytes()
    text = path.read_text("utf-8")
    return _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text).encode()


def _framed(path: Path) -> str:
    """A page in the frame that all share, its own link in the bar marked."""
    head, main, rest = path.read_text("utf-8").partition("<main")
    here = f'href="/{path.stem}"'
    framed = FRAME.read_text("utf-8").replace(here, f'{here} aria-current="page"')
    return framed.replace("<!-- head -->", head).replace("<!-- main -->", main + rest)


def page_routes() -> list[ControllerRouterHandler]:
    """The routes of everything that is not the interface for programs."""
    return [start, page, table, qr_code, asset]


@get("/", media_type=MediaType.HTML, include_in_schema=False)
async def start() -> Response[bytes]:
    """The start page."""
    return _page("index")


@get("/{name:str}", media_type=MediaType.HTML, include_in_schema=False)
async def page(name: FromPath[str]) -> Response[bytes]:
    """One of the other pages."""
    return _page(name)


@get("/table/{table_id:str}", media_type=MediaType.HTML, include_in_schema=False)
async def table(
    request: Request[Any, Any, Any],
    services: NamedDependency[Services],
    table_id: FromPath[str],  # noqa: ARG001 - the page reads its address
) -> Response[bytes]:
    """The page of a table, and where others find it. Whether there is one it finds out itself."""
    base = _invitation_base(request, services)
    shown = b"" if base is None else f'<meta name="invitation-base" content="{base}">'.encode()
    answer = _page("table")
    answer.content = answer.content.replace(b"</head>", shown + b"</head>", 1)
    return answer


@get("/table/{table_id:str}/qr.svg", media_type="image/svg+xml", include_in_schema=False)
async def qr_code(
    request: Request[Any, Any, Any],
    services: NamedDependency[Services],
    table_id: FromPath[str],
) -> Response[bytes]:
    """The address of a table, to be read by a camera."""
    await services.table(table_id)
    base = _invitation_base(request, services) or str(request.base_url)
    drawn = io.BytesIO()
    code = segno.make(f"{base.rstrip('/')}/table/{table_id}", error="m", micro=False)
    code.save(drawn, kind="svg", border=2, dark="#000", light="#fff", xmldecl=False, omitsize=True)
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers=_EACH_TIME)


def _invitation_base(request: Request[Any, Any, Any], services: Services) -> str | None:
    """Where others find this server, if not where this browser does.

    At localhost they would find their own device, so they are given its address on the network.
    """
    if services.settings.public_url is not None:
        return services.settings.public_url
    _, port = request.scope["server"] or ("", None)
    if not (services.network and port and is_loopback(request.url.hostname or "")):
        return None
    return url_of(services.network[0], port)


@get("/web/{digest:str}/{path:path}", include_in_schema=False)
async def asset(digest: FromPath[str], path: FromPath[Path]) -> Response[bytes]:
    """A module, a style sheet or a picture."""
    name = path.as_posix().lstrip("/")
    content = site().assets.get(name)
    if content is None:
        raise NotFoundException
    headers = _FOR_EVER if digest == site().digest else _EACH_TIME
    return Response(content, media_type=KINDS[Path(name).suffix], headers=headers)


def _page(name: str) -> Response[bytes]:
    content = site().pages.get(name)
    if content is None:
        raise NotFoundException
    return Response(content, media_type=MediaType.HTML, headers=_EACH_TIME)
