"""The pictures of the README: `python -m tests.web.pictures FOLDER` takes them again."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, Page, expect, sync_playwright

from harness.browser import FLAGS, chromium
from harness.servers.processes import ServerProcess
from tests.web import playing

SECRET = (4, 1, 5, 3)
ROWS = ((1, 1, 2, 3), (1, 3, 4, 5), (5, 1, 6, 4), (4, 1, 5, 2))


class Picture(NamedTuple):
    """One picture: how large, and in which light."""

    name: str
    width: int
    height: int
    scheme: Literal["light", "dark"]


PICTURES = (
    Picture("table-light", 1000, 720, "light"),
    Picture("table-dark", 1000, 720, "dark"),
    Picture("table-phone", 390, 780, "light"),
)


def take(picture: Picture, browser: Browser, url: str, folder: Path) -> Path:
    """A game in its fifth row: Ann makes the code; Bob, whose screen it is, breaks it."""
    ann = browser.new_context(base_url=url).new_page()
    ann.goto("/")
    ann.get_by_text("More settings").click()
    ann.get_by_label("Your name").fill("Ann")
    ann.get_by_role("button", name="Against a friend").click()
    bob = browser.new_context(
        base_url=url,
        color_scheme=picture.scheme,
        reduced_motion="reduce",
        viewport={"width": picture.width, "height": picture.height},
    ).new_page()
    bob.goto(ann.get_by_label("Link").input_value())
    bob.get_by_label("Your name").fill("Bob")
    bob.get_by_role("button", name="Sit down and play").click()
    playing.in_hand(ann, "secret")
    playing.by_keyboard(ann, SECRET)
    _play(bob)
    path = folder / f"{picture.name}.png"
    bob.screenshot(path=path)
    ann.context.close()
    bob.context.close()
    return path


def _play(page: Page) -> None:
    for number, row in enumerate(ROWS, 2):
        playing.in_hand(page, "guess")
        playing.by_keyboard(page, row)
        expect(playing.headline(page)).to_have_text(f"Your turn: row {number}")
    playing.fill(page, SECRET[:2])


def main(folder: Path) -> None:
    """Take all pictures on a server of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as tools:
        database = f"sqlite:///{data}/keypeg.db"
        with ServerProcess(database, Path(data)) as server:
            browser = tools.chromium.launch(executable_path=chromium(), args=FLAGS)
            for picture in PICTURES:
                take(picture, browser, server.url, folder)
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
