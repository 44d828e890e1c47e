"""What a browser loads: the pages, and the modules, styles and pictures they are made of.

Everything is read and compressed once, when the server starts. Assets live under an address that
carries a digest of them all, so browsers may keep them for ever and never mix two versions. What
is made for somebody, such as a table, is not compressed: its length could betray a secret.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import posixpath
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import segno
from litestar import MediaType, Request, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from keypeg.server.addresses import is_loopback, url_of
from keypeg.server.budget import ASSETS
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
SECTIONS: Final = {
    "storm": "puzzle",
    "print": "puzzle",
    "mistakes": "games",
    "progress": "games",
}
"""Pages without a link in the bar, with the page whose link leads to their part of the site."""

_COMMENTS: Final = {
    ".js": re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*$", re.MULTILINE | re.DOTALL),
    ".css": re.compile(r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*$", re.MULTILINE | re.DOTALL),
}
_INDENTATION: Final = re.compile(r"^[ \t]+", re.MULTILINE)
_CSS_SPACES: Final = re.compile(r"(?<=[;{]) +| +(?=[{}])")
_SCRIPT: Final = re.compile(rf'<script type="module" src="{ASSETS}([^"]+)"></script>')
_IMPORT: Final = re.compile(r'^(?:import|export)\b[^"(]*"(\.[^"]+)"', re.MULTILINE)
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_EACH_TIME: Final = "no-cache"
_NO_WEIGHT: Final = re.compile(r"\s*q\s*=\s*0(\.0*)?\s*")

AnyRequest = Request[Any, Any, Any]


class Content(NamedTuple):
    """One file as it travels: as it is, and compressed."""

    plain: bytes
    packed: bytes
    media_type: str
    tag: str
    """A digest of it, by which a browser asks whether it has changed."""


class Site(NamedTuple):
    """All that browsers load, in memory: assets by their path, pages by their name."""

    assets: dict[str, Content]
    pages: dict[str, Content]
    digest: str


@cache
def site() -> Site:
    """The web folder, read."""
    files = {path.relative_to(WEB).as_posix(): path for path in sorted(WEB.rglob("*.*"))}
    assets = {
        name: _content(_served(path), KINDS[path.suffix])
        for name, path in files.items()
        if path.suffix in KINDS
    }
    digest = hashlib.sha256()
    for name, content in assets.items():
        digest.update(name.encode() + b"\0" + content.plain + b"\0")
    version = digest.hexdigest()[:12]
    pages = {
        path.stem: _content(
            _preloading(_framed(path), assets).replace(ASSETS, f"{ASSETS}{version}/").encode(),
            MediaType.HTML,
        )
        for path in WEB.glob("*.html")
        if path != FRAME
    }
    return Site(assets, pages, version)


def _content(plain: bytes, media_type: str) -> Content:
    tag = hashlib.sha256(plain).hexdigest()[:16]
    return Content(plain, gzip.compress(plain, mtime=0), media_type, tag)


def _served(path: Path) -> bytes:
    """A file as it travels: without comments and indentation, nearly a third of a module.

    The lines stay, so that an error in the browser names the line in the source.
    """
    if path.suffix not in _COMMENTS:
        return path.read_bytes()
    text = path.read_text("utf-8")
    bare = _COMMENTS[path.suffix].sub(lambda comment: "\n" * comment[0].count("\n"), text)
    bare = _INDENTATION.sub("", bare)
    return (_CSS_SPACES.sub("", bare) if path.suffix == ".css" else bare).encode()


def _framed(path: Path) -> str:
    """A page in the frame that all share; the link in the bar to it or its section is marked."""
    head, main, rest = path.read_text("utf-8").partition("<main")
    section = SECTIONS.get(path.stem, path.stem)
    here, current = f'href="/{section}"', "page" if section == path.stem else "true"
    framed = FRAME.read_text("utf-8").replace(here, f'{here} aria-current="{current}"')
    return framed.replace("<!-- head -->", head).replace("<!-- main -->", main + rest)


def _preloading(page: str, assets: dict[str, Content]) -> str:
    """A page that names the modules that its script does not import itself.

    A browser would otherwise find them late, one after the other.
    """
    script = _SCRIPT.search(page)
    if script is None:
        return page
    links = "".join(
        f'<link rel="modulepreload" href="{ASSETS}{name}">' for name in _deep(script[1], assets)
    )
    return page.replace(script[0], script[0] + links)


def _deep(script: str, assets: dict[str, Content]) -> list[str]:
    """The modules that are loaded because those that the script imports import them."""
    found = near = _imported(script, assets)
    while near:
        new = dict.fromkeys(name for module in near for name in _imported(module, assets))
        near = [name for name in new if name not in found]
        found = [*found, *near]
    return found[len(_imported(script, assets)) :]


def _imported(module: str, assets: dict[str, Content]) -> list[str]:
    paths = _IMPORT.findall(assets[module].plain.decode())
    return [posixpath.normpath(f"{module}/../{path}") for path in paths]


def page_routes() -> list[ControllerRouterHandler]:
    """The routes of everything that is not the interface for programs."""
    contests = [contest_form, contest, contest_qr_code]
    matches = [race_form, duel_form, match, match_qr_code]
    return [start, page, table, qr_code, *contests, *matches, asset]


@get("/", media_type=MediaType.HTML, include_in_schema=False)
async def start(request: AnyRequest) -> Response[bytes]:
    """The start page."""
    return _page(request, "index")


@get("/{name:str}", media_type=MediaType.HTML, include_in_schema=False)
async def page(request: AnyRequest, name: FromPath[str]) -> Response[bytes]:
    """One of the other pages."""
    return _page(request, name)


@get("/table/{table_id:str}", media_type=MediaType.HTML, include_in_schema=False)
async def table(
    request: AnyRequest,
    services: NamedDependency[Services],
    table_id: FromPath[str],  # noqa: ARG001 - the page reads its address
) -> Response[bytes]:
    """The page of a table, and where others find it. Whether there is one it finds out itself."""
    return _sent(request, _shared_page("table", _invitation_base(request, services)), _EACH_TIME)


@get("/table/{table_id:str}/qr.svg", media_type="image/svg+xml", include_in_schema=False)
async def qr_code(
    request: AnyRequest,
    services: NamedDependency[Services],
    table_id: FromPath[str],
) -> Response[bytes]:
    """The address of a table, to be read by a camera."""
    await services.table(table_id)
    return _qr_code(request, services, f"/table/{table_id}")


@get("/contest", media_type=MediaType.HTML, include_in_schema=False)
async def contest_form(request: AnyRequest) -> Response[bytes]:
    """The page on which contests are made. `page` cannot have it, since there are paths below."""
    return _page(request, "contest")


@get("/contest/{contest_id:str}", media_type=MediaType.HTML, include_in_schema=False)
async def contest(
    request: AnyRequest,
    services: NamedDependency[Services],
    contest_id: FromPath[str],  # noqa: ARG001 - the page reads its address
) -> Response[bytes]:
    """The page of a contest, and where others find it. Whether there is one it finds out itself."""
    return _sent(request, _shared_page("contest", _invitation_base(request, services)), _EACH_TIME)


@get("/contest/{contest_id:str}/qr.svg", media_type="image/svg+xml", include_in_schema=False)
async def contest_qr_code(
    request: AnyRequest,
    services: NamedDependency[Services],
    contest_id: FromPath[str],
) -> Response[bytes]:
    """The address of a contest, to be read by a camera."""
    await services.contests.look(contest_id, None)
    return _qr_code(request, services, f"/contest/{contest_id}")


@get("/race", media_type=MediaType.HTML, include_in_schema=False)
async def race_form(request: AnyRequest) -> Response[bytes]:
    """The page on which races are opened. `page` cannot have it, since there are paths below."""
    return _page(request, "race")


@get("/duel", media_type=MediaType.HTML, include_in_schema=False)
async def duel_form(request: AnyRequest) -> Response[bytes]:
    """The page on which duels are opened."""
    return _page(request, "duel")


@get(
    "/match/{match_id:str}",
    media_type=MediaType.HTML,
    include_in_schema=False,
)
async def match(
    request: AnyRequest,
    services: NamedDependency[Services],
    match_id: FromPath[str],  # noqa: ARG001 - the page reads its address
) -> Response[bytes]:
    """The page of a match, and where others find it. Whether there is one it finds out itself."""
    return _sent(request, _shared_page("match", _invitation_base(request, services)), _EACH_TIME)


@get(
    "/match/{match_id:str}/qr.svg",
    media_type="image/svg+xml",
    include_in_schema=False,
)
async def match_qr_code(
    request: AnyRequest,
    services: NamedDependency[Services],
    match_id: FromPath[str],
) -> Response[bytes]:
    """The address of a match, to be read by a camera."""
    await services.matches.get(match_id)
    return _qr_code(request, services, f"/match/{match_id}")


def _qr_code(request: AnyRequest, services: Services, path: str) -> Response[bytes]:
    base = _invitation_base(request, services) or str(request.base_url)
    drawn = _drawn(f"{base.rstrip('/')}{path}")
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": _EACH_TIME})


@lru_cache(maxsize=1024)
def _drawn(address: str) -> bytes:
    """A QR code. `guard` has refused long addresses, so drawing takes milliseconds."""
    drawn = io.BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(drawn, kind="svg", border=2, dark="#000", light="#fff", xmldecl=False, omitsize=True)
    return drawn.getvalue()


@cache
def _shared_page(name: str, invitation_base: str | None) -> Content:
    """The page of all tables, or contests; others find them at `invitation_base`, if not None."""
    content = site().pages[name]
    if invitation_base is None:
        return content
    told = f'<meta name="invitation-base" content="{invitation_base}"></head>'
    return _content(content.plain.replace(b"</head>", told.encode(), 1), content.media_type)


def _invitation_base(request: AnyRequest, services: Services) -> str | None:
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
async def asset(
    request: AnyRequest, digest: FromPath[str], path: FromPath[Path]
) -> Response[bytes]:
    """A module, a style sheet or a picture."""
    found = site().assets.get(path.as_posix().lstrip("/"))
    return _sent(request, found, _FOR_EVER if digest == site().digest else _EACH_TIME)


def _page(request: AnyRequest, name: str) -> Response[bytes]:
    return _sent(request, site().pages.get(name), _EACH_TIME)


def _sent(request: AnyRequest, content: Content | None, kept: str) -> Response[bytes]:
    """A file as this browser takes it: compressed if it may be, nothing if it has it already."""
    if content is None:
        raise NotFoundException
    packed = _accepts_gzip(request.headers.get("accept-encoding", ""))
    tag = f'"{content.tag}{"-gzip" if packed else ""}"'
    headers = {"Cache-Control": kept, "ETag": tag, "Vary": "Accept-Encoding"}
    if tag in _tags(request.headers.get("if-none-match", "")):
        return Response(b"", status_code=304, headers=headers)
    if packed:
        headers["Content-Encoding"] = "gzip"
    body = content.packed if packed else content.plain
    return Response(body, media_type=content.media_type, headers=headers)


def _accepts_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header names gzip and does not rule it out."""
    for coding in accepted.lower().split(","):
        name, _, weight = coding.partition(";")
        if name.strip() == "gzip":
            return not _NO_WEIGHT.fullmatch(weight)
    return False


def _tags(header: str) -> list[str]:
    """The tags of an If-None-Match header; a proxy may have marked one as weak."""
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]
