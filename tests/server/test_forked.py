"""Servers that are forked are heard, and none is left running."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from harness.descriptors import many_open, open_descriptors
from harness.programs import StillRunning
from harness.servers.forked import ForkedServer, SpawnedServer, fork_server
from harness.servers.processes import ServerProcess
from harness.servers.restartable import restartable_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="servers are forked on Linux")


def test_a_server_is_heard_by_whoever_has_many_files_open(tmp_path: Path) -> None:
    with many_open(), restartable_server(f"sqlite:///{tmp_path}/keypeg.db", tmp_path) as server:
        assert server.alive


@pytest.mark.parametrize("prefix", [(), ("env",)])
def test_a_server_that_announces_nothing_is_killed(
    tmp_path: Path, prefix: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[ForkedServer | SpawnedServer] = []

    def announced(self: ForkedServer) -> str:
        started.append(self)
        raise StillRunning("it announces nothing")

    monkeypatch.setattr(ForkedServer, "announced", announced)
    server = ServerProcess(f"sqlite:///{tmp_path}/keypeg.db", tmp_path)
    server.prefix = prefix
    with pytest.raises(StillRunning, match="announces nothing"):
        server.start()
    assert [one.program.returncode for one in started] == [-signal.SIGKILL]


def open_pipes() -> set[str]:
    return {name for name in open_descriptors() if "pipe:" in name}


def test_a_server_that_is_started_again_leaves_no_pipe_open(tmp_path: Path) -> None:
    with ServerProcess(f"sqlite:///{tmp_path}/keypeg.db", tmp_path) as server:
        before = open_pipes()
        os.kill(server.pid, signal.SIGKILL)
        server.start()
        assert len(open_pipes()) == len(before)
        after = open_pipes() - before
    assert not open_pipes() & after


def test_servers_are_dead_and_let_go_of_once_a_test_is_done(tmp_path: Path) -> None:
    fork_server("")
    before = open_pipes()
    with restartable_server(f"sqlite:///{tmp_path}/keypeg.db", tmp_path) as server:
        assert server.alive
        running = server._process
    assert running is not None
    assert running.program.returncode == -signal.SIGKILL
    assert open_pipes() <= before
