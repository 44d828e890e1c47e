"""Contests in Chromium: made, entered and broken by several browsers, and compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from harness.servers.processes import ServerProcess
from tests.web.conftest import PATIENCE_MS
from tests.web.test_access import RECORD

SECRET, WRONG = (1, 2, 3, 4), (4, 3, 2, 1)


@pytest.fixture
def people(browser: Browser, server: ServerProcess) -> Iterator[Callable[[], Page]]:
    """Each page is that of somebody else."""
    contexts = []

    def arrive() -> Page:
        contexts.append(browser.new_context(base_url=server.url, reduced_motion="reduce"))
        contexts[-1].set_default_timeout(PATIENCE_MS)
        return contexts[-1].new_page()

    yield arrive
    for context in contexts:
        context.close()


def fill(page: Page, code: tuple[int, ...]) -> None:
    for peg in code:
        page.keyboard.press(str(peg))
    page.keyboard.press("Enter")


def rows(page: Page) -> Locator:
    return page.locator(".played .strip")


def set_codes(page: Page, *codes: tuple[int, ...]) -> str:
    """Make a contest of chosen codes; gives its address."""
    page.goto("/")
    page.get_by_role("link", name="A contest").click()
    page.get_by_label("I choose them").check()
    for number, code in enumerate(codes, 1):
        page.get_by_role("region", name="A code to set").get_by_role("button").first.focus()
        fill(page, code)
        expect(page.get_by_role("img", name=re.compile(f"^Code {number}:"))).to_be_visible()
    page.get_by_label("Your name").fill("Cleo")
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_text("You have set")).to_be_visible()
    return page.url


def enter(page: Page, address: str, name: str) -> None:
    page.goto(address)
    expect(page.get_by_text("Cleo has set")).to_be_visible()
    expect(page.get_by_text("Everybody's rows")).to_have_count(0)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Enter and play").click()
    expect(page.locator(".hand")).to_be_visible()


def guess(page: Page, code: tuple[int, ...]) -> None:
    before = rows(page).count()
    fill(page, code)
    expect(rows(page)).to_have_count(before + 1)


def test_a_code_is_set_sent_broken_by_others_and_compared(people: Callable[[], Page]) -> None:
    setter, ann, bob = people(), people(), people()
    address = set_codes(setter, SECRET)
    assert setter.get_by_label("Link").input_value() == address
    expect(setter.get_by_text("Nobody is done yet.")).to_be_visible()
    enter(ann, address, "Ann")
    guess(ann, WRONG)
    ann.reload()
    expect(rows(ann)).to_have_count(1)
    guess(ann, SECRET)
    expect(ann.get_by_role("heading", name="Broken in 2 rows")).to_be_focused()
    expect(ann.get_by_text("Verified")).to_be_visible()
    expect(ann.get_by_role("row", name=re.compile("1 Ann \\(you\\) 2"))).to_be_visible()
    enter(bob, address, "")
    guess(bob, SECRET)
    expect(bob.get_by_role("row", name=re.compile("1 Player 2 \\(you\\) 1"))).to_be_visible()
    expect(bob.get_by_text("The strategy book needs")).to_be_visible()
    bob.get_by_role("button", name="The rows of Ann").click()
    expect(bob.get_by_role("heading", name="The rows of Ann")).to_be_focused()
    theirs = re.compile("^Row 2: red, blue, yellow, green")
    expect(bob.get_by_role("img", name=theirs)).to_be_visible()
    setter.get_by_role("button", name="Look again").click()
    expect(setter.locator("tbody tr")).to_have_count(2)


def test_a_league_adds_up_the_codes_that_one_is_done_with(people: Callable[[], Page]) -> None:
    setter, ann = people(), people()
    address = set_codes(setter, SECRET, WRONG)
    enter(ann, address, "Ann")
    guess(ann, SECRET)
    expect(ann.get_by_text("Over 1 code")).to_be_visible()
    ann.get_by_role("button", name="Code 2", exact=True).last.click()
    expect(rows(ann)).to_have_count(0)
    guess(ann, SECRET)
    guess(ann, WRONG)
    expect(ann.get_by_text("Over 2 codes")).to_be_visible()
    standing = ann.get_by_role("region", name="Standing")
    expect(standing.get_by_role("row", name=re.compile("1 Ann \\(you\\) 3 .* 1 2"))).to_be_visible()


def test_codes_that_the_server_draws_can_be_broken_by_whoever_asked_for_them(
    people: Callable[[], Page],
) -> None:
    page = people()
    page.goto("/contest")
    page.get_by_label("How many codes").select_option("3")
    page.get_by_label("Open for").select_option("1 day")
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_text("You had the server draw 3 codes.")).to_be_visible()
    expect(page.get_by_text("It closes on")).to_be_visible()
    page.get_by_role("button", name="Enter and play").click()
    expect(page.locator(".hand")).to_be_visible()
    guess(page, SECRET)
    expect(page.get_by_role("navigation", name="Codes").get_by_role("button")).to_have_count(3)


def test_the_computer_plays_too_and_somebody_watches(people: Callable[[], Page]) -> None:
    setter, cleo = people(), people()
    setter.goto("/contest")
    setter.get_by_label("perfect").check()
    setter.get_by_role("button", name="Make the link").click()
    expect(setter.get_by_text("The computer plays too: perfect.")).to_be_visible()
    cleo.goto(setter.url)
    cleo.get_by_text("Only watching?").click()
    cleo.get_by_role("button", name="Watch instead").click()
    expect(cleo.get_by_text("You watch.")).to_be_visible()
    expect(cleo.get_by_role("img", name=re.compile("^Code"))).to_be_visible()
    expect(cleo.get_by_role("button", name="Enter and play")).to_have_count(0)
    look = cleo.get_by_role("button", name="Look again")
    line = cleo.get_by_role("row", name=re.compile("1 Computer \\(perfect\\)"))
    for _ in range(50):
        if line.count():
            break
        look.click()
        cleo.wait_for_timeout(100)
    expect(line).to_be_visible()
    cleo.get_by_role("button", name="The rows of Computer (perfect)").click()
    expect(cleo.get_by_role("heading", name="The rows of Computer (perfect)")).to_be_focused()
    cleo.reload()
    expect(cleo.get_by_text("You watch.")).to_be_visible()


def test_what_cannot_be_done_is_said(people: Callable[[], Page]) -> None:
    page = people()
    page.goto("/contest/" + "x" * 22)
    expect(page.get_by_role("alert")).to_contain_text("There is no such contest")
    page.get_by_role("link", name="Set a code for others").click()
    page.get_by_label("I choose them").check()
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("alert")).to_contain_text("add at least one code")


def test_a_code_is_taken_from_the_review_of_a_game(people: Callable[[], Page]) -> None:
    page = people()
    page.goto("/review")
    page.get_by_label("A record as text").fill(RECORD)
    page.get_by_role("button", name="Review").click()
    page.get_by_role("button", name="Set this code for others").click()
    expect(page).to_have_url(re.compile("/contest$"))
    expect(page.get_by_label("I choose them")).to_be_checked()
    expect(page.get_by_role("img", name=re.compile("^Code 1:"))).to_have_count(1)
    page.reload()
    expect(page.get_by_label("The server draws them")).to_be_checked()
