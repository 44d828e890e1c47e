"""The daily code in Chromium: played, reloaded, answered again, done, in the archive."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Browser, Locator, Page, Route, expect

from harness.servers.in_process import Running, running
from keypeg.daily.codes import PURPOSE, Codes
from keypeg.rules.board import PRESETS
from keypeg.rules.code import Code
from tests.daily.clocks import SetClock
from tests.web.conftest import PATIENCE_MS

DAY = date(2026, 11, 18)
CLASSIC = PRESETS["classic"]


@pytest.fixture(scope="module")
def day_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server on which it is noon on the same day for ever."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(running(tmp_path_factory.mktemp("daily"))) as server,
    ):
        server.application.services.daily._clock = SetClock(f"{DAY} 12:00")
        yield server


@pytest.fixture
def opened(browser: Browser, day_server: Running) -> Iterator[Callable[[], Page]]:
    """Pages of a browser of its own, with the server's day as theirs."""
    context = browser.new_context(base_url=day_server.url, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    context.clock.install(time=DAY.isoformat() + "T12:00:00Z")
    yield context.new_page
    context.close()


def secret(server: Running, day: date = DAY) -> Code:
    codes = Codes(server.application.services.log.derive(PURPOSE))
    return codes.opening(day, CLASSIC).code


def wrong(server: Running) -> Code:
    first, *others = secret(server)
    return (first % 6 + 1, *others)


@contextmanager
def at(server: Running, time: str) -> Iterator[None]:
    """Another time at the server, for a while."""
    daily = server.application.services.daily
    before, daily._clock = daily._clock, SetClock(time)
    yield
    daily._clock = before


def play(page: Page, code: Code) -> None:
    for peg in code:
        page.keyboard.press(str(peg))
    page.keyboard.press("Enter")


def rows(page: Page) -> Locator:
    return page.locator(".played .strip")


def test_a_code_is_played_by_keyboard_reloaded_broken_and_shown_again(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page = opened()
    page.goto("/daily")
    expect(page.locator(".day")).to_contain_text("No. 322")
    expect(page.get_by_role("timer")).to_contain_text(":")
    play(page, wrong(day_server))
    expect(rows(page)).to_have_count(1)
    expect(page.locator("#status")).to_contain_text("3 black, 0 white")
    page.keyboard.press("3")
    page.reload()
    expect(rows(page)).to_have_count(1)
    expect(page.locator(".hand .hole[data-hole='0'] .peg")).to_have_attribute("data-peg", "3")
    page.keyboard.press("Backspace")
    play(page, secret(day_server))
    expect(page.get_by_role("heading", name="Broken in 2 rows")).to_be_focused()
    expect(page.locator(".hand")).to_have_count(0)
    expect(page.get_by_text("1 player so far.")).to_be_visible()
    expect(page.locator(".bars .mine")).to_contain_text("1: you")
    expect(page.locator(".seal")).to_have_text("✓ Verified: the code was fixed from the start.")
    expect(page.locator("summary", has_text="The strategy book needs")).to_be_visible()
    expect(page.locator(".rated li")).to_have_count(2)
    expect(page.locator(".compared")).to_have_text(re.compile(r"You2The book\d"))
    expect(page.get_by_role("link", name="Wednesday, No. 322: broken in 2 rows")).to_be_visible()
    page.get_by_role("button", name="Play it again").click()
    expect(page.locator(".hand")).to_have_count(1)
    page.goto("/")
    expect(page.get_by_role("link", name="Today's code")).to_contain_text("Done: 2 rows")
    page.get_by_role("link", name="Today's code").click()
    expect(page.get_by_role("heading", name="Broken in 2 rows")).to_be_visible()
    page.goto("/daily?board=advanced")
    expect(page.locator(".hand .hole")).to_have_count(5)


def test_a_guess_whose_answer_is_lost_is_answered_once(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page = opened()
    page.goto("/daily")
    expect(page.locator(".hand")).to_be_visible()
    sent: list[str] = []

    def lose(route: Route) -> None:
        sent.append(route.request.post_data or "")
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/guesses", lose)
    play(page, wrong(day_server))
    page.clock.run_for(1000)
    expect(rows(page)).to_have_count(1)
    assert len(sent) == 2
    assert sent[0] == sent[1]
    other = opened()
    other.goto("/daily")
    expect(rows(other)).to_have_count(1)


def test_a_code_that_is_done_in_one_tab_is_done_in_the_other(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page, other = opened(), opened()
    for tab in (page, other):
        tab.goto("/daily")
        expect(tab.locator(".hand")).to_be_visible()
    play(page, secret(day_server))
    expect(page.get_by_role("heading", name="Broken in 1 row")).to_be_visible()
    play(other, wrong(day_server))
    expect(other.get_by_role("heading", name="Broken in 1 row")).to_be_focused()
    expect(rows(other)).to_have_count(1)


def test_the_archive_is_played_and_does_not_count(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page = opened()
    page.goto("/daily")
    page.get_by_text("Earlier codes", exact=True).click()
    page.get_by_role("link", name="No. 321").click()
    expect(page.locator(".day")).to_contain_text("archive")
    expect(page.locator(".hand")).to_be_visible()
    expect(page.get_by_text("This code is from the archive, and does not count.")).to_be_visible()
    play(page, secret(day_server, date(2026, 11, 17)))
    expect(page.get_by_role("heading", name="Broken in 1 row")).to_be_visible()
    expect(page.get_by_text("Nobody played this code on its day.")).to_be_visible()
    page.get_by_text("Earlier codes", exact=True).click()
    page.get_by_label("Another day").fill("2026-11-01")
    page.get_by_role("button", name="Go there").click()
    expect(page.locator(".day")).to_contain_text("No. 305")
    page.goto("/daily?date=2026-11-19")
    expect(page.get_by_role("alert")).to_have_text(
        "The code of 2026-11-19 begins at midnight in UTC; today is 2026-11-18."
    )
    expect(page.get_by_role("link", name="Today's code")).to_be_visible()


def test_at_midnight_the_new_code_is_offered_and_the_game_stays(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page = opened()
    page.goto("/daily")
    expect(page.locator(".hand")).to_be_visible()
    play(page, wrong(day_server))
    expect(rows(page)).to_have_count(1)
    page.clock.fast_forward("12:00:01")
    expect(page.get_by_role("link", name="Play the new code")).to_be_visible()
    expect(rows(page)).to_have_count(1)
    play(page, wrong(day_server))
    expect(rows(page)).to_have_count(2)


def test_yesterdays_code_is_offered_until_it_is_done(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page = opened()
    page.goto("/daily")
    expect(page.locator(".hand")).to_be_visible()
    play(page, wrong(day_server))
    expect(rows(page)).to_have_count(1)
    with at(day_server, "2026-11-19 00:01"):
        page.goto("/daily")
        expect(page.locator(".day")).to_contain_text("No. 323")
        expect(page.get_by_text("Yesterday's code is not done.")).to_be_visible()
        page.get_by_role("link", name="Finish it").click()
        expect(rows(page)).to_have_count(1)
        expect(page.get_by_text("9 rows left.", exact=True)).to_be_visible()
        play(page, secret(day_server))
        expect(page.get_by_role("heading", name="Broken in 2 rows")).to_be_visible()
        page.get_by_role("link", name="Today's code").click()
        expect(page.locator(".day")).to_contain_text("No. 323")
        expect(page.get_by_role("link", name="No. 322: broken in 2 rows")).to_be_visible()
        expect(page.get_by_text("Yesterday's code is not done.")).to_have_count(0)


@pytest.mark.parametrize(
    ("zone", "device", "midnight"),
    [
        ("Pacific/Kiritimati", "2026-11-18T12:00:00Z", "14:00"),
        ("America/St_Johns", "2025-03-01T12:00:00Z", "20:30"),
    ],
)
def test_a_day_is_that_of_the_server_in_every_time_zone_and_by_every_clock(
    browser: Browser, day_server: Running, zone: str, device: str, midnight: str
) -> None:
    """At noon in UTC it is tomorrow in Kiritimati; the other device's clock is far behind."""
    context = browser.new_context(base_url=day_server.url, timezone_id=zone, locale="en-GB")
    context.clock.install(time=device)
    page = context.new_page()
    for day, named in ((DAY, "Wednesday, 18"), (date(2026, 11, 19), "Thursday, 19")):
        number = (day - date(2025, 12, 31)).days
        with at(day_server, f"{day} 12:00"):
            page.goto("/daily")
            expect(page.locator(".day")).to_contain_text(
                f"No. {number} · {named} November 2026", timeout=PATIENCE_MS
            )
            expect(page.get_by_role("timer")).to_have_text(re.compile(r"^1[12]:\d\d:\d\d$"))
            expect(page.locator(".next")).to_contain_text(f"UTC, {midnight} where you are")
            play(page, secret(day_server, day))
            expect(page.get_by_role("heading", name="Broken in 1 row")).to_be_visible()
    expect(page.locator(".streak")).to_contain_text("2 days played.")
    for name in ("Wednesday, No. 322: broken in 1 row", "Thursday, No. 323: broken in 1 row"):
        expect(page.get_by_role("link", name=name)).to_be_visible()
    context.close()


def test_after_sleep_the_page_asks_the_server_whether_a_new_code_is_there(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page = opened()
    page.goto("/daily")
    expect(page.locator(".hand")).to_be_visible()
    with at(day_server, "2026-11-19 08:00"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.get_by_role("link", name="Play the new code").click()
        expect(page.locator(".day")).to_contain_text("No. 323")


def test_the_result_is_copied_with_a_link_to_the_same_code(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page = opened()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/daily?date=2026-11-18")
    expect(page.locator(".hand")).to_be_visible()
    play(page, secret(day_server))
    page.get_by_role("button", name="Copy the result").click()
    expect(page.get_by_role("button", name="Copied, without spoilers")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text == (
        "keypeg daily 322: 1 row\n⚫⚫⚫⚫\nIn words: 4 black, 0 white.\n"
        f"{day_server.url}/daily?date=2026-11-18"
    )


def test_a_code_that_counts_is_in_the_progress_and_its_costly_rows_to_practise(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page = opened()
    page.goto("/daily")
    expect(page.locator(".hand")).to_be_visible()
    for row in (1, 2):  # the second one tells nothing
        play(page, wrong(day_server))
        expect(rows(page)).to_have_count(row)
    play(page, secret(day_server))
    expect(page.locator(".rated li")).to_have_count(3)
    page.get_by_role("link", name="My mistakes").click()
    expect(page.get_by_role("region", name="Position")).to_be_visible()
    page.goto("/progress")
    expect(page.locator("#progress")).to_contain_text("1 game: 1 code broken, with 3.00 rows")
    expect(page.locator("#progress")).to_contain_text("In each of the 1 analysed")


def test_a_day_that_does_not_exist_is_refused_with_a_way_back(
    opened: Callable[[], Page], day_server: Running
) -> None:
    page = opened()
    page.goto("/daily?date=2027-01-01")
    expect(page.get_by_role("alert")).to_contain_text("There is no code of 2027-01-01")
    page.get_by_role("link", name="Today's code").click()
    expect(page.locator(".hand")).to_be_visible()
