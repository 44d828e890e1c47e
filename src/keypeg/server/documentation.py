"""The OpenAPI document: the framework's paths with msgspec's own schemas.

The framework's schemas lose what matters here (a smallest value of 0, the type of a list's
items, that unknown fields are refused), so all of them are replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar import Litestar, MediaType, Request
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.routes import HTTPRoute

from keypeg import messages
from keypeg.server.guard import SAFE_METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from litestar.handlers import HTTPRouteHandler

_REFERENCE: Final = "#/components/schemas/{name}"
_ALWAYS: Final = (400, 413, 421, 429, 431)
_UNSAFE: Final = (403, 408, 411)
_MEANINGS: Final = {
    400: "The request cannot be read",
    401: "The token is missing or not valid here",
    403: "Not allowed from this origin, or switched off at this table",
    404: "There is no such table, day, contest or match",
    408: "The body did not arrive in time",
    409: "Not allowed by the rules, or no longer; then the current table is included",
    411: "The body has no length",
    413: "The body is too large",
    421: "The server does not go by the name in the Host header",
    422: "A value is not what it should be",
    429: "Too much at once; wait a little",
    431: "The head is too long, or has too many headers",
    503: "Not now; try again later",
}


class Document(OpenAPIRenderPlugin):
    """Serves the document at /schema and /schema/openapi.json."""

    def __init__(self) -> None:
        super().__init__(path="/openapi.json", media_type=MediaType.JSON)
        self._made: bytes | None = None

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """The framework's document, amended."""
        if self._made is None:
            self._made = _amended(request.app, openapi_schema)
        return self._made


def _amended(app: Litestar, document: dict[str, Any]) -> bytes:
    _, components = msgspec.json.schema_components(
        [messages.Problem, messages.ClientIn, messages.ClientOut, *_bodies(app), *_answers()],
        ref_template=_REFERENCE,
    )
    document["components"] = {"schemas": components}
    for path, method, handler in _handlers(app):
        _amend(document["paths"][path][method.lower()], method, handler)
    return msgspec.json.encode(document)


def _handlers(app: Litestar) -> Iterator[tuple[str, str, HTTPRouteHandler]]:
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                if handler.resolve_include_in_schema():
                    for method in handler.http_methods - {"OPTIONS", "HEAD"}:
                        yield route.path_format, method, handler


def _bodies(app: Litestar) -> Iterator[Any]:
    for _, _, handler in _handlers(app):
        if "reads" in handler.opt:
            yield handler.opt["reads"]


def _answers() -> Iterator[type]:
    for name, kind in vars(messages).items():
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and name[0] != "_":
            yield kind


def _may_be_left_out(kind: Any) -> bool:
    """Whether a request without a body means the same as one that says nothing."""
    try:
        msgspec.convert({}, kind)
    except msgspec.ValidationError:
        return False
    return True


def _amend(operation: dict[str, Any], method: str, handler: HTTPRouteHandler) -> None:
    """Say what an operation reads, and every way in which it may refuse."""
    if "reads" in handler.opt:
        (schema,), _ = msgspec.json.schema_components(
            [handler.opt["reads"]], ref_template=_REFERENCE
        )
        content = {"application/json": {"schema": schema}}
        required = not _may_be_left_out(handler.opt["reads"])
        operation["requestBody"] = {"required": required, "content": content}
    problem = {"application/json": {"schema": {"$ref": _REFERENCE.format(name="Problem")}}}
    unsafe = () if method in SAFE_METHODS else _UNSAFE
    for status in sorted({*_ALWAYS, *unsafe, *handler.opt.get("problems", ())}):
        answer = {"description": _MEANINGS[status], "content": problem}
        operation["responses"][str(status)] = answer
