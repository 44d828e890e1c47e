from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser

from harness.servers.processes import ServerProcess
from tests.web.pictures import PICTURES, take

ROOT = Path(__file__).parents[2]


def test_the_pictures_of_the_readme_can_be_taken_again(
    browser: Browser, server: ServerProcess, tmp_path: Path
) -> None:
    taken = take(PICTURES[-1], browser, server.url, tmp_path)
    assert taken.stat().st_size > 10_000


def test_the_readme_shows_every_picture() -> None:
    shown = re.findall(r"docs/pictures/([a-z-]+)\.png", (ROOT / "README.md").read_text())
    assert sorted(shown) == sorted(picture.name for picture in PICTURES)
    assert all((ROOT / f"docs/pictures/{name}.png").is_file() for name in shown)
