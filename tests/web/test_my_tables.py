"""My tables in Chromium: the list, the number in the title, and notices in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from harness.servers.processes import ServerProcess
from tests.web import playing
from tests.web.conftest import PATIENCE_MS

NOTICES = """
    window.shown = [];
    window.Notification = class {
        static permission = "default";
        static async requestPermission() { return (window.Notification.permission = "granted"); }
        constructor(title, { body, tag }) { window.shown.push([title, body, tag]); }
    };
    Object.defineProperty(document, "hidden", { get: () => window.isHidden ?? false });
"""
"""Notices that are only noted, and a page that can be put in the background."""


@pytest.fixture
def player(browser: Browser, server: ServerProcess) -> Iterator[Callable[[], Page]]:
    """Pages of browsers of their own."""
    contexts = []

    def opened() -> Page:
        context = browser.new_context(base_url=server.url, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()


def is_kept(page: Page) -> bool:
    try:
        return page.evaluate("localStorage.getItem('keypeg.tables')") is not None
    except Error:
        return False  # the page is being loaded again


def invite(ann: Page, bob: Page) -> str:
    """A table that Ann opens, where Bob sits down: it is Ann's turn to set the code."""
    ann.goto("/")
    ann.get_by_role("button", name="Against a friend").click()
    link = ann.get_by_label("Link").input_value()
    bob.goto(link)
    bob.get_by_role("button", name="Sit down and play").click()
    playing.in_hand(ann, "secret")
    for page in (ann, bob):
        playing.until(page, lambda: is_kept(page))  # noqa: B023 - it is called at once
    return link.rpartition("/table/")[2]


def test_open_tables_are_listed_with_whose_turn_it_is_and_counted_in_the_title(
    player: Callable[[], Page],
) -> None:
    ann, bob = player(), player()
    table = invite(ann, bob)
    ann.goto("/")
    ann.get_by_role("link", name="my tables").click()
    item = ann.get_by_role("list", name="Tables").get_by_role("listitem")
    expect(item).to_have_count(1)
    expect(item).to_contain_text("Your turn")
    expect(item).to_contain_text("classic, game 1 of 2, against Player two")
    expect(item.get_by_role("link")).to_have_attribute("href", f"/table/{table}")
    expect(ann.locator("#tables [role=status]")).to_have_text("One game waits for you.")
    expect(ann).to_have_title("(1) My tables · keypeg")
    ann.goto("/learn")
    expect(ann).to_have_title("(1) Learn · keypeg")
    bob.goto("/tables")
    expect(bob.get_by_role("list", name="Tables")).to_contain_text("Waiting for Player one")
    expect(bob).to_have_title("My tables · keypeg")
    ann.goto(f"/table/{table}")
    playing.in_hand(ann, "secret")
    playing.by_keyboard(ann, (1, 2, 3, 4))
    bob.reload()
    expect(bob.get_by_role("list", name="Tables")).to_contain_text("Your turn")
    expect(bob).to_have_title("(1) My tables · keypeg")
    bob.get_by_role("link", name="Your turn").click()
    playing.in_hand(bob, "guess")
    expect(bob).to_have_title("Your turn: row 1 · keypeg")


def test_a_turn_is_noticed_in_the_background_once_if_the_player_wants_it(
    player: Callable[[], Page],
) -> None:
    ann, bob = player(), player()
    table = invite(ann, bob)
    bob.context.add_init_script(NOTICES)
    bob.clock.install()
    bob.goto("/tables")
    expect(bob.get_by_role("list", name="Tables")).to_contain_text("Waiting for Player one")
    bob.get_by_label("Show a notice").check()
    expect(bob.get_by_label("Show a notice")).to_be_checked()
    bob.evaluate("isHidden = true; document.dispatchEvent(new Event('visibilitychange'))")
    playing.by_keyboard(ann, (1, 2, 3, 4))
    expect(playing.headline(ann)).to_contain_text("is breaking your code")
    for _ in range(3):
        with bob.expect_response("**/turn"):
            bob.clock.fast_forward(61_000)
    expect(bob).to_have_title("(1) My tables · keypeg")
    assert bob.evaluate("shown") == [
        ["Your turn", "classic, game 1 of 2, against Player one", table]
    ]


def test_without_consent_a_page_in_the_background_asks_nothing(
    player: Callable[[], Page],
) -> None:
    ann, bob = player(), player()
    invite(ann, bob)
    bob.context.add_init_script(NOTICES)
    bob.clock.install()
    asked: list[str] = []
    bob.on("request", lambda request: asked.append(request.url))
    bob.goto("/tables")
    expect(bob.get_by_role("list", name="Tables")).to_contain_text("Waiting for Player one")
    bob.evaluate("isHidden = true; document.dispatchEvent(new Event('visibilitychange'))")
    before = len(asked)
    bob.clock.fast_forward(600_000)
    assert len(asked) == before
    with bob.expect_response("**/turn"):
        bob.evaluate("isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")


def test_tables_that_are_gone_are_forgotten_and_none_is_a_hint_to_begin(
    player: Callable[[], Page],
) -> None:
    page = player()
    page.goto("/tables")
    expect(page.locator("#tables")).to_contain_text("You have no open table. Begin a game")
    page.evaluate("localStorage.setItem('keypeg.tables', JSON.stringify(['A'.repeat(22)]))")
    page.reload()
    expect(page.locator("#tables")).to_contain_text("You have no open table.")
    assert page.evaluate("localStorage.getItem('keypeg.tables')") is None


def test_a_server_that_does_not_answer_is_said_and_asked_again(player: Callable[[], Page]) -> None:
    page = player()
    page.clock.install()
    page.goto("/learn")
    page.evaluate("localStorage.setItem('keypeg.tables', JSON.stringify(['A'.repeat(22)]))")
    page.route("**/turn", lambda route: route.abort())
    page.goto("/tables")
    expect(page.locator("#tables")).to_contain_text("The server cannot be reached.")
    assert is_kept(page)
    page.unroute("**/turn")
    with page.expect_response("**/turn"):
        page.clock.fast_forward(41_000)
    playing.until(page, lambda: not is_kept(page))
