"""The server as a process: its port, its database, its event loop, its end.

A start that fails says why in one line. An end asked for by a signal finishes what was begun:
commands under way are answered, sockets are closed with 1012, and the process is gone in
less than five seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
import threading
import webbrowser
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import uvicorn

from keypeg.rules.errors import KeypegError
from keypeg.server.addresses import network_addresses, own_origins, own_url, url_of
from keypeg.server.app import Application, open_application
from keypeg.server.connections import GuardedRequest, GuardedSocket
from keypeg.server.garbage import Collector
from keypeg.server.logs import start_logging
from keypeg.server.scheduling import use_short_slices
from keypeg.server.workers import Workers, ending_signals
from keypeg.store.paths import withdraw_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from keypeg.server.settings import Settings
    from keypeg.server.workers import Worker

FRAME_BYTES: Final = 4096
FRAMES_QUEUED: Final = 8
PING_SECONDS: Final = 10.0
DRAIN_SECONDS: Final = 2.0
CLOSE_SECONDS: Final = 1.5
BACKLOG: Final = 2048
TICKS_A_SECOND: Final = 10
_log = logging.getLogger("keypeg.process")


class CannotStart(KeypegError):
    """The server cannot start, and why."""


class CannotGoOn(KeypegError):
    """The server had to stop, and why."""


class Started(NamedTuple):
    """A server that is ready: its address here, and its addresses for others on the network."""

    url: str
    network: tuple[str, ...]


def serve(
    settings: Settings, announce: Callable[[Started], None], *, browser: bool = False
) -> None:
    """Run the server until it is told to stop."""
    start_logging(settings.log_level)
    withdraw_key()
    _allow_many_sockets()
    listening = bind(settings.host, settings.port)
    port = listening.getsockname()[1]
    url = own_url(settings, port)
    network = () if settings.public_url else network_addresses(settings.host)

    def tell() -> None:
        announce(Started(url, tuple(url_of(host, port) + "/" for host in network)))
        _log.info("started", extra={"url": url, "count": settings.workers})
        if browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    worker = None
    if settings.workers > 1:
        worker = Workers(settings.workers).run(tell)
        if worker is None:
            _log.info("stopped")
            return
        tell = worker.say_ready
    use_short_slices()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_run(settings, listening, tell, worker))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's loop, where there is one."""
    try:
        import uvloop  # noqa: PLC0415 - not on every system
    except ImportError:
        return None
    return uvloop.new_event_loop


def _allow_many_sockets() -> None:
    """As many open files as the system lets us have; the default is often 1,024."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - POSIX only

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, or asyncio would not know it for TCP, and leave short answers to wait for more.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        # Listening here and not later: a second server on the port must fail at once.
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise CannotStart(f"cannot listen on {host} port {port}: {error.strerror}") from None
    return listening


async def _run(
    settings: Settings, listening: socket.socket, tell: Callable[[], None], worker: Worker | None
) -> None:
    port = listening.getsockname()[1]
    try:
        application = await open_application(settings, own_origins(settings.host, port))
    except OSError as error:
        listening.close()
        raise CannotStart(f"cannot open the database: {error.strerror or error}") from None
    except BaseException:
        listening.close()
        raise
    collector = Collector(sockets=lambda: application.live.sockets)
    collector.start()
    server = Server(application, settings, tell, collector.look)
    if worker is not None:
        asyncio.get_running_loop().add_reader(worker.lifeline, server.end)
    try:
        await server.serve([listening])
    finally:
        await _put_away(application)
    _log.info("stopped")
    if application.services.log.broken:
        raise CannotGoOn("the database is broken; nothing more can be acknowledged until a restart")


async def _put_away(application: Application) -> None:
    """Close it. What was acknowledged is on disk: a database that hangs is not waited for."""
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await application.close()
    except TimeoutError:
        _log.warning("the database does not answer, and is left as it is")


class Server(uvicorn.Server):
    """uvicorn with our limits, which lets commands under way finish before it closes sockets."""

    def __init__(
        self,
        application: Application,
        settings: Settings,
        tell: Callable[[], None] | None = None,
        every_second: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(uvicorn_config(application, settings))
        self._application, self._tell, self._every_second = application, tell, every_second

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, then say so: whoever hears it may send a signal at once."""
        await super().startup(sockets)
        if self._tell is not None:
            self._tell()

    async def on_tick(self, counter: int) -> bool:
        """Whether to stop: when told to, or when the database is broken."""
        if counter % TICKS_A_SECOND == 0:
            self._every_second()
            self._application.services.log.look()
        return await super().on_tick(counter) or self._application.services.log.broken

    def end(self) -> None:
        """Stop as if told to: the parent is gone."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more commands, answer those under way, then close what is open."""
        for server in self.servers:
            server.close()
        await self._application.drain(DRAIN_SECONDS)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End in peace when told to; unlike uvicorn's, without dying of the signal afterwards."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(ValueError, RuntimeError):
            # Only the main thread may; a server in a test's thread is stopped by its flag.
            for sign in ending_signals():
                loop.add_signal_handler(sign, self.handle_exit, sign, None)
        yield


def uvicorn_config(application: Application, settings: Settings) -> uvicorn.Config:
    """uvicorn's settings: its defaults are 16 MiB frames, compressed."""
    return uvicorn.Config(
        application.asgi,
        log_config=None,
        access_log=False,
        server_header=False,
        http=partial(GuardedRequest, door=application.door),  # type: ignore[arg-type]
        ws=GuardedSocket,
        ws_max_size=FRAME_BYTES,
        ws_max_queue=FRAMES_QUEUED,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        h11_max_incomplete_event_size=16 * 1024,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=1,
        lifespan="off",
    )
