"""What a person does at a table in the browser: by mouse, by finger, by keyboard."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import product

from playwright.sync_api import Locator, Page, expect

from keypeg.rules import Board, Code, KeyPegs, score
from keypeg.rules.code import parse_code

PATIENCE_SECONDS = 90.0
CLASSIC = Board.parse("classic")
SIZES = [(320, 568), (360, 640), (390, 844), (568, 320), (844, 390), (1280, 800), (3840, 2160)]
"""Of windows: phones, phones on their side, a laptop, a 4K screen."""
_ROW = re.compile(r"Row \d+: ([a-z, ]+)\. (\d+) (?:black|red), (\d+) white\.")

Way = Callable[[Page, Code], None]

ELSEWHERE = """new MutationObserver((_changes, observer) => {
    if (!document.head) return;
    const base = Object.assign(document.createElement("meta"), { name: "invitation-base" });
    base.content = "http://192.168.7.3:8000";
    document.head.append(base);
    observer.disconnect();
}).observe(document, { childList: true, subtree: true })"""
"""As if the server were open to the network, which it tells the page at the same place."""


def by_mouse(page: Page, code: Code) -> None:
    for peg in code:
        page.locator(f".swatch[data-peg='{peg}']").click()
    page.locator(".check").click()


def by_finger(page: Page, code: Code) -> None:
    """Tap a hole, then a colour; the holes from right to left, to show that any order will do."""
    for hole in reversed(range(len(code))):
        page.locator(f".hand .hole[data-hole='{hole}']").tap()
        page.locator(f".swatch[data-peg='{code[hole]}']").tap()
    page.locator(".check").tap()


def fill(page: Page, code: Code) -> None:
    for peg in code:
        page.keyboard.press(str(peg))


def by_keyboard(page: Page, code: Code) -> None:
    fill(page, code)
    page.keyboard.press("Enter")


def by_typing(page: Page, code: Code) -> None:
    command(page, "guess " + "".join(map(str, code)))


def command(page: Page, text: str) -> None:
    box = page.locator("#command")
    if not box.is_visible():
        page.locator("details.typing summary").click()
    box.fill(text)
    box.press("Enter")


def in_hand(page: Page, what: str) -> None:
    """Wait until it is the player's turn for this: secret, guess or answer."""
    expect(page.locator(f".play[data-hand='{what}']")).to_be_visible()


def until(page: Page, happened: Callable[[], bool]) -> None:
    """Wait for something that Playwright reports, such as a socket or a request."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        page.wait_for_timeout(20)


def rows(page: Page, board: Board = CLASSIC) -> list[tuple[Code, KeyPegs]]:
    """The answered rows, as a screen reader hears them."""
    spoken = page.locator(".row .spoken").all_inner_texts()
    read = filter(None, map(_ROW.fullmatch, spoken))
    return [(parse_code(match[1], board), KeyPegs(int(match[2]), int(match[3]))) for match in read]


def fitting(answered: list[tuple[Code, KeyPegs]], board: Board = CLASSIC) -> Code:
    """A code that fits every answer."""
    return next(
        code
        for code in product(board.symbols, repeat=board.holes)
        if all(score(code, guess) == keys for guess, keys in answered)
    )


def break_code(page: Page, way: Way, board: Board = CLASSIC) -> int:
    """Play until the game is over; the number of rows it took."""
    while True:
        in_hand(page, "guess")
        played = len(rows(page, board))
        way(page, fitting(rows(page, board), board))
        expect(page.locator(".row.played:has(.key.dark, .key.none, .key.white)")).to_have_count(
            played + 1
        )
        if page.locator(".play").get_attribute("data-over") == "true":
            return played + 1
        in_hand(page, "guess")


def act(page: Page, action: str) -> None:
    page.locator(f"[data-action='{action}']").click()


def agree(page: Page) -> None:
    """Confirm the open dialog."""
    page.locator("dialog[open] .primary").click()


def headline(page: Page) -> Locator:
    return page.locator(".headline")


def points(page: Page) -> list[str]:
    return page.locator(".track .points").all_inner_texts()


def heard(page: Page) -> Callable[[], list[str]]:
    """What a screen reader announces from now on."""
    page.evaluate(
        """() => {
          window.heard = [];
          const words = (nodes) => [...nodes].map((node) => node.textContent.trim());
          new MutationObserver((changes) => {
            for (const { addedNodes } of changes) window.heard.push(...words(addedNodes));
          }).observe(document.querySelector("#status"), { childList: true });
        }"""
    )
    return lambda: list(page.evaluate("window.heard"))
