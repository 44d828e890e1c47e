"""A port that is kept is given to nobody else, and can be listened on again and again."""

from __future__ import annotations

import errno
import socket
import struct
import sys

import pytest

from harness.ports import Port
from keypeg.server.process import bind

IP_LOCAL_PORT_RANGE = 51

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ports are kept on Linux alone")


def picks_from(port: int, *, reuse: bool) -> socket.socket:
    """A socket to which the system may give this port and no other."""
    picking = socket.socket()
    picking.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuse)
    try:
        only = struct.pack("I", port << 16 | port)
        picking.setsockopt(socket.IPPROTO_IP, IP_LOCAL_PORT_RANGE, only)
    except OSError:
        picking.close()
        pytest.skip("Linux before 6.3 cannot be told which ports to give")
    return picking


def test_a_server_listens_on_a_kept_port_again_and_again() -> None:
    port = Port()
    for _ in range(3):
        with (
            bind("127.0.0.1", port.number) as listening,
            socket.create_connection(("127.0.0.1", port.number), timeout=60),
        ):
            listening.accept()[0].close()
        with socket.socket() as nobody:
            assert nobody.connect_ex(("127.0.0.1", port.number)) == errno.ECONNREFUSED


@pytest.mark.parametrize("reuse", [False, True])
def test_a_kept_port_is_given_to_nobody_else(reuse: bool) -> None:
    port = Port()
    with bind("127.0.0.1", 0) as other:
        with picks_from(port.number, reuse=reuse) as asking, pytest.raises(OSError, match="in use"):
            asking.bind(("127.0.0.1", 0))
        with (
            picks_from(port.number, reuse=reuse) as calling,
            pytest.raises(OSError, match="Cannot assign"),
        ):
            calling.connect(other.getsockname())
