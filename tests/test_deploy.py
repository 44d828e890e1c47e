"""docs/deploy.md is true: every block of it is run, against the real programs it names."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from websockets.sync.client import connect as open_socket

from harness import programs
from harness.databases import RedisServer, postgresql_server
from harness.ports import Port
from keypeg.server.logs import tag

# Programs are started one after another, as an operator does.
pytestmark = pytest.mark.timeout(300)

LIMIT = 80.0
"""Seconds in which anything that is waited for must come, on the busiest of machines."""
GUIDE = Path(__file__).parents[1] / "docs" / "deploy.md"
HERE = Path(sys.executable).parent
BLOCKS = {
    "One process": ["sh"],
    "As a service": ["sh", "ini"],
    "Several processes": ["sh"],
    "Behind nginx, with TLS": ["sh", "nginx", "sh"],
    "Backup and restore": ["sh", "sh"],
    "A refused table": [],
    "Old tables": ["sh", "ini", "ini"],
    "Upgrade": ["sh"],
}
"""Every block of the page; each is run by a test below."""


class Block(NamedTuple):
    language: str
    text: str


def blocks() -> dict[str, list[Block]]:
    found: dict[str, list[Block]] = {}
    for chapter in GUIDE.read_text("utf-8").split("\n## ")[1:]:
        title, _, text = chapter.partition("\n")
        fenced = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        found[title] = [Block(*one) for one in fenced]
    return found


def test_every_block_of_the_page_is_known_here() -> None:
    found = {title: [one.language for one in some] for title, some in blocks().items()}
    assert found == BLOCKS
    assert GUIDE.read_text("utf-8").count("\n```") == 2 * sum(map(len, BLOCKS.values()))


class Machine:
    """A machine of its own, as far as a folder can be one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._port = Port()
        self.port = self._port.number
        user = pwd.getpwuid(os.getuid()).pw_name
        # Only root may become somebody, if only himself.
        become = "runuser -u root -- " if user == "root" else ""
        self.words = {
            "runuser -u keypeg -- ": become,
            "runuser -u postgres -- ": become,
            "-o keypeg": f"-o {user}",
            "systemd-sysusers -": f"systemd-sysusers --root={folder} -",
            "systemctl enable --now": f"systemctl --root={folder} enable",
            "/opt/keypeg/bin/keypeg": f"{HERE}/keypeg",
            "/etc/keypeg.env": f"{folder}/keypeg.env",
            "/etc/systemd/system/": f"{folder}/etc/systemd/system/",
            "/var/lib/keypeg": f"{folder}/state",
            "--port 8000": f"--port {self.port}",
            "127.0.0.1:8000": f"127.0.0.1:{self.port}",
            "/var/backups/keypeg": f"{folder}/backups",
            "/etc/ssl/private/": f"{folder}/",
            "/etc/ssl/": f"{folder}/",
            "nginx -t": f"nginx -c {folder}/nginx.conf -t",
        }
        (folder / "etc" / "systemd" / "system").mkdir(parents=True)
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "KEYPEG_KEY"},
            "PATH": f"{HERE}:{os.environ['PATH']}:/usr/sbin",
            "HOME": str(folder),
            "XDG_DATA_HOME": f"{folder}/.local/share",
        }

    def here(self, text: str) -> str:
        """A text of the page, for this machine."""
        for word, instead in self.words.items():
            text = text.replace(word, instead)
        return text

    def run(self, block: Block) -> str:
        assert block.language == "sh"
        return programs.run(
            ["sh", "-eu", "-c", self.here(block.text)],
            env=self.environment,
            cwd=self.folder,
            seconds=110,
            check=True,
        ).stdout

    @contextmanager
    def serving(self, block: Block) -> Iterator[str]:
        """A block that serves, until the end of ours; then it ends in order."""
        with (self.folder / "server.log").open("ab") as log:
            shell = subprocess.Popen(
                ["sh", "-eu", "-c", self.here(block.text)],
                env=self.environment,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        url = f"http://127.0.0.1:{self.port}"
        with ending(shell):
            until(lambda: shell.poll() is not None or answers(url), "the server answers")
            assert shell.poll() is None, (self.folder / "server.log").read_text()[-2000:]
            yield url


@contextmanager
def ending(program: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a program that leads its own session, with all it started, whatever happens meanwhile."""
    try:
        yield
    finally:
        os.killpg(program.pid, signal.SIGTERM)
        try:
            program.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait(LIMIT)
            raise


def until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < deadline, f"not within {LIMIT} s: {what}"
        time.sleep(0.05)


def answers(url: str) -> bool:
    try:
        return bool(httpx.get(f"{url}/healthz").json()["status"] == "ok")
    except httpx.TransportError:
        return False


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_program_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["sh", "-c", "trap '' TERM; echo deaf; exec sleep 3600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as deaf:
        assert programs.read_line(deaf) == b"deaf\n"
        monkeypatch.setattr(f"{__name__}.LIMIT", 0.5)
        with pytest.raises(subprocess.TimeoutExpired), ending(deaf):
            pass
    assert deaf.returncode == -signal.SIGKILL


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def guide() -> dict[str, list[Block]]:
    return blocks()


def play(url: str, **options: Any) -> int:
    """Sit down at a new table, connect, and set a secret; the number of entries then."""
    verify = options.get("ssl", True)
    host = options.get("server_hostname")
    headers = {"host": host} if host else {}
    extensions = {"sni_hostname": host} if host else {}
    with httpx.Client(base_url=url, verify=verify, headers=headers, timeout=LIMIT) as http:

        def post(path: str, **more: Any) -> Any:
            return http.post(path, extensions=extensions, **more).raise_for_status().json()

        one = post("/api/tables", json={})
        path = f"/api/tables/{one['table']}"
        post(f"{path}/seats", json={"seat": "two"})
        bearer = {"authorization": f"Bearer {one['token']}"}
        ticket = post(f"{path}/tickets", json={}, headers=bearer)["ticket"]
        with open_socket(
            url.replace("http", "ws", 1) + "/api/live",
            compression=None,
            proxy=None,
            open_timeout=LIMIT,
            **options,
        ) as live:
            live.send(f'{{"type":"hello","ticket":"{ticket}"}}')
            live.send('{"type":"set-secret","id":"s","code":[1,2,3,4]}')
            while '"ack"' not in (heard := str(live.recv(LIMIT))):
                pass
    return int(re.findall(r'"seq":(\d+)', heard)[0])


def test_one_process_serves(machine: Machine, guide: dict[str, list[Block]]) -> None:
    with machine.serving(guide["One process"][0]) as url:
        assert play(url) == 3
    for name in ("keypeg.db", "keypeg.key"):
        assert (machine.folder / ".local" / "share" / "keypeg" / name).exists()


def test_a_service_is_backed_up_restored_pruned_and_upgraded(
    machine: Machine, guide: dict[str, list[Block]]
) -> None:
    machine.run(guide["As a service"][0])
    assert "keypeg:x:" in (machine.folder / "etc" / "passwd").read_text()
    assert (machine.folder / "keypeg.env").stat().st_mode & 0o077 == 0
    with machine.serving(started("keypeg.service", guide, machine)) as url:
        assert play(url) == 3
        machine.run(guide["Backup and restore"][0])
        machine.run(guide["Upgrade"][0])
        assert machine.run(guide["Old tables"][0]).count("0 finished and 0 abandoned tables") == 2
        assert "0 abandoned tables removed" in machine.run(started("keypeg-prune.service", guide))
    said = machine.run(guide["Backup and restore"][1])
    assert "1 table, 3 entries, restored and verified" in said
    assert (machine.folder / "state" / "restored.db").exists()


def test_the_settings_are_never_open_to_others(
    machine: Machine, guide: dict[str, list[Block]]
) -> None:
    """Not even between being made and being protected: as it is made, it is protected."""
    assert shutil.which("strace"), "apt-get install strace"
    block, trace = guide["As a service"][0], machine.folder / "trace"
    (machine.folder / "block").write_text(machine.here(block.text))
    command = ["strace", "-f", "-e", "openat,umask", "-o", str(trace), "sh", "-eu", "block"]
    programs.run(command, env=machine.environment, cwd=machine.folder, check=True)
    calls = [one for one in trace.read_text().splitlines() if "umask" in one or "keypeg.env" in one]
    made = next(number for number, call in enumerate(calls) if "keypeg.env" in call)
    assert "umask(077)" in calls[made - 1]


def started(name: str, guide: dict[str, list[Block]], machine: Machine | None = None) -> Block:
    """What a unit starts, with its settings, on the port of its machine if it has one."""
    unit = units(guide)[name]
    [settings] = re.findall("^EnvironmentFile=(.*)$", unit, re.MULTILINE)
    [command] = re.findall("^ExecStart=(.*)$", unit, re.MULTILINE)
    port = f"KEYPEG_PORT={machine.port} " if machine else ""
    return Block("sh", f"set -a; . {settings}; {port}exec {command}")


@pytest.fixture
def debian_postgresql() -> Iterator[Any]:
    """A PostgreSQL that trusts as Debian's does: its machine's users, on the socket, alone.

    Whoever runs the tests passes for the two users of the page, and for no other.
    """
    with postgresql_server() as server:
        (server.pgdata / "pg_ident.conf").write_text("page /^ postgres\npage /^ keypeg\n")
        (server.pgdata / "pg_hba.conf").write_text(
            "local all all peer map=page\nhost all all all scram-sha-256\n"
        )
        server.psql("SELECT pg_reload_conf(); ")
        yield server


def test_several_processes_serve(
    machine: Machine,
    guide: dict[str, list[Block]],
    debian_postgresql: Any,
    redis: RedisServer,
) -> None:
    folder = re.findall(r"host=([^&]+)", str(debian_postgresql.get_uri()))[0]
    machine.words |= {"redis://localhost:6379": redis.url, "/var/run/postgresql": folder}
    machine.environment |= {"PGHOST": folder, "PGUSER": "postgres"}
    machine.environment["PATH"] = f"{debian_postgresql.bin_path}:{machine.environment['PATH']}"
    machine.run(guide["As a service"][0])
    machine.run(guide["Several processes"][0])
    del machine.environment["PGHOST"], machine.environment["PGUSER"]
    with machine.serving(started("keypeg.service", guide, machine)) as url:
        assert play(url) == 3
        log = machine.folder / "server.log"
        until(lambda: '"count": 4' in log.read_text(), "four processes serve")
    assert '"level": "error"' not in log.read_text()


def test_nginx_with_tls_stands_in_front(machine: Machine, guide: dict[str, list[Block]]) -> None:
    assert shutil.which("nginx", path=machine.environment["PATH"]), "apt-get install nginx"
    environment, site, certificate = guide["Behind nginx, with TLS"]
    port = Port()
    tls = port.number
    machine.words["listen 443 ssl"] = f"listen 127.0.0.1:{tls} ssl"
    folder = machine.folder
    (folder / "site.conf").write_text(machine.here(site.text))
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    machine.run(certificate)
    with machine.serving(environment), nginx(machine, tls):
        trusted = ssl.create_default_context(cafile=str(folder / "keypeg.example.pem"))
        url = f"https://127.0.0.1:{tls}"
        options = {"ssl": trusted, "server_hostname": "keypeg.example"}
        assert play(url, **options) == 3
        page = ask(url, "/", trusted)
        assert page.status_code == 200
        assert page.headers["strict-transport-security"]
        assert ask(url, "/metrics", trusted).status_code == 403


def test_nginx_refuses_floods_of_one_address_or_network(
    machine: Machine, guide: dict[str, list[Block]]
) -> None:
    """Nothing serves behind it: 502 is what it lets through, and 429 what it refuses."""
    _, site, certificate = guide["Behind nginx, with TLS"]
    port, folder = Port(), machine.folder
    machine.words["listen 443 ssl"] = f"listen 127.0.0.1:{port.number} ssl"
    machine.words["rate=200r/s"] = "rate=1r/m"
    machine.words["burst=600"] = "burst=4"
    named = "server_name keypeg.example;"
    machine.words[named] = f"{named} set_real_ip_from 127.0.0.1; real_ip_header X-From;"
    (folder / "site.conf").write_text(machine.here(site.text))
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    machine.run(certificate)
    with nginx(machine, port.number):
        trusted = ssl.create_default_context(cafile=str(folder / "keypeg.example.pem"))
        url = f"https://127.0.0.1:{port.number}"
        for network, other in (("192.0.2.7", "192.0.2.8"), ("2001:db8:0:a0a::{}", "2001:db8::1")):
            sent = [ask(url, "/", trusted, network.format(n)).status_code for n in range(1, 9)]
            assert sent == 5 * [502] + 3 * [429]
            assert ask(url, "/", trusted, other).status_code == 502


def ask(url: str, path: str, trusted: ssl.SSLContext, source: str = "") -> httpx.Response:
    with httpx.Client(verify=trusted, timeout=LIMIT) as http:
        return http.get(
            url + path,
            headers={"host": "keypeg.example", "x-from": source},
            extensions={"sni_hostname": "keypeg.example"},
        )


NGINX = """
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
daemon off;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


@contextmanager
def nginx(machine: Machine, port: int) -> Iterator[None]:
    program = shutil.which("nginx", path=machine.environment["PATH"])
    command = [str(program), "-c", f"{machine.folder}/nginx.conf"]
    process = subprocess.Popen(command, env=machine.environment, start_new_session=True)
    with ending(process):
        until(lambda: process.poll() is not None or accepts(port), "nginx listens")
        assert process.poll() is None, (machine.folder / "nginx.log").read_text()
        yield


def test_the_units_are_such_as_systemd_understands_and_enables(
    machine: Machine, guide: dict[str, list[Block]]
) -> None:
    analyser = shutil.which("systemd-analyze")
    assert analyser, "apt-get install systemd"
    folder = machine.folder / "etc" / "systemd" / "system"
    for name, unit in units(guide).items():
        (folder / name).write_text(machine.here(unit))
    command = [analyser, "verify", "--man=no", *(str(folder / name) for name in units(guide))]
    said = programs.run(command)
    assert said.returncode == 0, said.stderr
    assert "keypeg" not in said.stderr
    for enable in re.findall("`(systemctl enable --now[^`]*)`", GUIDE.read_text("utf-8")):
        machine.run(Block("sh", enable))
    wanted = {path.name for path in folder.glob("*.wants/*")}
    assert wanted == {"keypeg.service", "keypeg-prune.timer"}


def test_a_table_is_found_in_the_logs_as_the_page_says(machine: Machine) -> None:
    [line] = re.findall("`(printf .*sha256sum[^`]*)`", GUIDE.read_text("utf-8"))
    said = machine.run(Block("sh", line.replace("ID", "some-table")))
    assert said.strip() == tag("some-table")


def units(guide: dict[str, list[Block]]) -> dict[str, str]:
    """Every unit of the page, by the file that it is to be written to."""
    named = re.findall(
        r"`/etc/systemd/system/(\S+)`[^`]*(?:`[^`]+`[^`]*)?```ini", GUIDE.read_text()
    )
    texts = [one.text for some in guide.values() for one in some if one.language == "ini"]
    return dict(zip(named, texts, strict=True))
