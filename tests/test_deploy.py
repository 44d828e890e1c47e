"""docs/deploy.md is true: every block of it is run, against the real programs it names."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from websockets.sync.client import connect as open_socket

from tests.databases import RedisServer

GUIDE = Path(__file__).parents[1] / "docs" / "deploy.md"
HERE = Path(sys.executable).parent
BLOCKS = {
    "One process": ["sh"],
    "Several processes": ["sh", "sh"],
    "Behind nginx, with TLS": ["sh", "nginx", "sh"],
    "As a service": ["ini"],
    "Backup and restore": ["sh", "sh"],
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


class Place:
    """A machine of its own, as far as a folder can be one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.words = {
            "--port 8000": f"--port {self.port}",
            "127.0.0.1:8000": f"127.0.0.1:{self.port}",
            "/var/backups/keypeg": f"{folder}/backups",
            "/var/lib/keypeg-new": f"{folder}/new",
            "/etc/ssl/private/": f"{folder}/",
            "/etc/ssl/": f"{folder}/",
            "nginx -t": f"nginx -c {folder}/nginx.conf -t",
        }
        (folder / "backups").mkdir()
        self.environment = {
            **os.environ,
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
        return subprocess.run(
            ["sh", "-eu", "-c", self.here(block.text)],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
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
        try:
            wait_for(url)
            yield url
        finally:
            os.killpg(shell.pid, signal.SIGTERM)
            shell.wait(20)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_for(url: str) -> None:
    for _ in range(600):
        try:
            assert httpx.get(f"{url}/healthz").json()["status"] == "ok"
            return
        except httpx.TransportError:
            time.sleep(0.05)
    pytest.fail("the server does not answer")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def guide() -> dict[str, list[Block]]:
    return blocks()


def play(url: str, **options: Any) -> int:
    """Sit down at a new table, connect, and set a secret; the number of entries then."""
    verify = options.get("ssl", True)
    host = options.get("server_hostname")
    headers = {"host": host} if host else {}
    extensions = {"sni_hostname": host} if host else {}
    with httpx.Client(base_url=url, verify=verify, headers=headers) as http:

        def post(path: str, **more: Any) -> Any:
            return http.post(path, extensions=extensions, **more).raise_for_status().json()

        one = post("/api/tables", json={})
        path = f"/api/tables/{one['table']}"
        post(f"{path}/seats", json={"seat": "two"})
        bearer = {"authorization": f"Bearer {one['token']}"}
        ticket = post(f"{path}/tickets", json={}, headers=bearer)["ticket"]
        with open_socket(
            url.replace("http", "ws", 1) + "/api/live", compression=None, proxy=None, **options
        ) as live:
            live.send(f'{{"type":"hello","ticket":"{ticket}"}}')
            live.send('{"type":"set-secret","id":"s","code":[1,2,3,4]}')
            while '"ack"' not in (heard := str(live.recv(10))):
                pass
    return int(re.findall(r'"seq":(\d+)', heard)[0])


def test_one_process_is_backed_up_restored_pruned_and_upgraded(
    place: Place, guide: dict[str, list[Block]]
) -> None:
    with place.serving(guide["One process"][0]) as url:
        assert play(url) == 3
        place.run(guide["Backup and restore"][0])
        place.run(guide["Upgrade"][0])
    said = place.run(guide["Backup and restore"][1])
    assert "1 tables, 3 entries, restored and verified" in said
    assert (place.folder / "new" / "keypeg.db").exists()
    assert "would be removed" in place.run(guide["Old tables"][0])


def test_several_processes_serve(
    place: Place, guide: dict[str, list[Block]], postgresql: Any, redis: RedisServer
) -> None:
    place.words["redis://localhost:6379"] = redis.url
    for owned in ("DATABASE", "ROLE"):
        postgresql.psql(f"DROP {owned} IF EXISTS keypeg; ")
    own = str(postgresql.get_uri(database="keypeg"))
    place.words["postgresql://keypeg@localhost/keypeg"] = own.replace("postgres:@", "keypeg@", 1)
    folder = re.findall(r"host=([^&]+)", own)[0]
    place.environment |= {"PGHOST": folder, "PGUSER": "postgres"}
    place.environment["PATH"] = f"{postgresql.bin_path}:{place.environment['PATH']}"
    place.run(guide["Several processes"][0])
    with place.serving(guide["Several processes"][1]) as url:
        assert play(url) == 3
        log = place.folder / "server.log"
        for _ in range(400):
            if '"count": 4' in log.read_text():
                break
            time.sleep(0.05)
    assert '"count": 4' in log.read_text()
    assert '"level": "error"' not in log.read_text()


def test_nginx_with_tls_stands_in_front(place: Place, guide: dict[str, list[Block]]) -> None:
    assert shutil.which("nginx", path=place.environment["PATH"]), "apt-get install nginx"
    environment, site, certificate = guide["Behind nginx, with TLS"]
    tls = free_port()
    place.words["listen 443 ssl"] = f"listen 127.0.0.1:{tls} ssl"
    folder = place.folder
    (folder / "site.conf").write_text(place.here(site.text))
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    place.run(certificate)
    with place.serving(environment), nginx(place):
        trusted = ssl.create_default_context(cafile=str(folder / "keypeg.example.pem"))
        url = f"https://127.0.0.1:{tls}"
        options = {"ssl": trusted, "server_hostname": "keypeg.example"}
        assert play(url, **options) == 3
        page = ask(url, "/", trusted)
        assert page.status_code == 200
        assert page.headers["strict-transport-security"]
        assert ask(url, "/metrics", trusted).status_code == 403


def ask(url: str, path: str, trusted: ssl.SSLContext) -> httpx.Response:
    with httpx.Client(verify=trusted) as http:
        return http.get(
            url + path,
            headers={"host": "keypeg.example"},
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
def nginx(place: Place) -> Iterator[None]:
    command = ["nginx", "-c", f"{place.folder}/nginx.conf"]
    program = shutil.which("nginx", path=place.environment["PATH"])
    with subprocess.Popen([str(program), *command[1:]], env=place.environment) as process:
        for _ in range(200):
            if (place.folder / "nginx.pid").exists():
                break
            time.sleep(0.02)
        time.sleep(0.1)
        yield
        process.terminate()


def test_the_units_are_such_as_systemd_understands(
    place: Place, guide: dict[str, list[Block]]
) -> None:
    analyser = shutil.which("systemd-analyze")
    assert analyser, "apt-get install systemd"
    paths = []
    for name, unit in units(guide).items():
        paths.append(place.folder / name)
        paths[-1].write_text(unit.replace("/opt/keypeg/bin/keypeg", str(HERE / "keypeg")))
    command = [analyser, "verify", "--man=no", *map(str, paths)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert "keypeg" not in said.stderr


def units(guide: dict[str, list[Block]]) -> dict[str, str]:
    """Every unit of the page, by the file that it is to be written to."""
    named = re.findall(
        r"`/etc/systemd/system/(\S+)`[^`]*(?:`[^`]+`[^`]*)?```ini", GUIDE.read_text()
    )
    texts = [one.text for some in guide.values() for one in some if one.language == "ini"]
    return dict(zip(named, texts, strict=True))
