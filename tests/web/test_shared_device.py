"""Two people on one device, with a curtain between them."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.web import playing
from tests.web.playing import act, agree, headline, in_hand


def test_two_on_one_device_with_a_curtain_between_them(page: Page) -> None:
    page.goto("/")
    page.get_by_text("More settings").click()
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("Name of the second player").fill("Bob")
    page.get_by_role("button", name="Two on this device").click()
    in_hand(page, "secret")
    for key in "1234":
        page.keyboard.press(key)
    expect(page.locator(".hand .peg.mask")).to_have_count(4)
    assert page.locator(".hand .hole").first.get_attribute("aria-label") == "Hole 1: filled"
    expect(page.get_by_role("status")).to_contain_text("Hole 4: filled.")
    page.locator(".hand .hole").nth(1).click()
    expect(page.locator(".swatch[aria-checked='true']")).to_have_count(0)
    page.get_by_role("button", name="Hold to see your code").hover()
    page.mouse.down()
    expect(page.locator(".hand .hole").nth(1)).to_have_attribute("aria-label", "Hole 2: blue")
    page.mouse.up()
    expect(page.locator(".hand .peg.mask")).to_have_count(4)
    page.get_by_role("button", name="Hide this code").click()
    check_curtain(page, "Bob")
    page.get_by_role("button", name="I am Bob").click()
    in_hand(page, "guess")
    expect(page.locator(".shield")).to_have_attribute("data-state", "closed")
    assert page.locator(".track .name").all_inner_texts() == ["Ann", "Bob"]
    page.reload()
    page.get_by_role("button", name="I am Bob").click()
    in_hand(page, "guess")
    playing.break_code(page, playing.by_mouse)
    expect(headline(page)).to_contain_text("Bob broke the code")
    expect(page.locator("[data-action='next-game']")).to_have_text("Next: Bob hides the code")
    act(page, "next-game")
    in_hand(page, "secret")
    playing.by_keyboard(page, (1, 1, 1, 1))
    page.get_by_role("button", name="I am Ann").click()
    playing.break_code(page, playing.by_mouse)
    act(page, "rematch")
    page.get_by_role("button", name="I am Bob").click()
    in_hand(page, "secret")
    expect(page.locator(".games")).to_contain_text("Game 1 of 2 · all series")


def check_curtain(page: Page, name: str) -> None:
    """Neither a key nor going back nor a reload opens the curtain, and it hides the page."""
    curtain = page.get_by_role("dialog", name=f"Hand the device to {name}", exact=True)
    expect(curtain).to_be_visible()
    for key in ("Escape", "Escape", "Escape", "1", "Backspace", "Escape"):
        page.keyboard.press(key)
    expect(curtain).to_be_visible()
    expect(page.locator(".play")).to_be_hidden()
    curtain.evaluate("curtain => curtain.close()")  # as a browser might, whatever the page wants
    expect(curtain).to_be_visible()
    page.reload()
    expect(curtain).to_be_visible()
    expect(page.locator(".play")).to_be_hidden()
    page.go_back()
    page.go_forward()
    expect(curtain).to_be_visible()
    expect(page.locator(".play")).to_be_hidden()


def hide_a_code(page: Page, settings: dict[str, str]) -> None:
    """Begin a game for two people on this device, up to the curtain before the first guess."""
    page.goto("/")
    page.get_by_text("More settings").click()
    for label, value in settings.items():
        page.get_by_label(label).select_option(value)
    page.get_by_role("button", name="Two on this device").click()
    in_hand(page, "secret")
    playing.by_keyboard(page, (1, 2, 3, 4))
    expect(page.locator(".curtain")).to_be_visible()


def test_a_row_checked_before_the_last_was_answered_is_played_after_it(page: Page) -> None:
    hide_a_code(page, {})
    page.get_by_role("button", name="I am Player two").click()
    in_hand(page, "guess")
    playing.fill(page, (5, 5, 5, 5))
    page.evaluate(
        """() => {
          for (const key of ["Enter", "6", "6", "6", "6", "Enter", "Enter"]) {
            const press = { key, bubbles: true, cancelable: true };
            document.body.dispatchEvent(new KeyboardEvent("keydown", press));
          }
        }"""
    )
    expect(headline(page)).to_have_text("Your turn: row 3")


def test_on_one_device_the_maker_peeks_at_the_code_only_while_holding(page: Page) -> None:
    hide_a_code(page, {"Key pegs": "by-hand"})
    page.get_by_role("button", name="I am Player two").click()
    in_hand(page, "guess")
    playing.by_keyboard(page, (1, 1, 1, 1))
    check_curtain(page, "Player one")
    page.get_by_role("button", name="I am Player one").click()
    in_hand(page, "answer")
    expect(page.locator(".shield")).to_have_attribute("data-state", "closed")
    peek = page.get_by_role("button", name="Hold to see your code")
    peek.hover()
    page.mouse.down()
    expect(page.locator(".shield")).to_have_attribute(
        "aria-label", "Your secret: red, blue, yellow, green"
    )
    page.mouse.up()
    expect(page.locator(".shield")).to_have_attribute("data-state", "closed")
    playing.command(page, "answer 40")
    page.get_by_role("button", name="I am Player two").click()
    act(page, "challenge")
    agree(page)
    expect(headline(page)).to_contain_text("Wrong information: 3 points to Player two")
    act(page, "next-game")
    page.get_by_role("button", name="I am Player one").click()
    in_hand(page, "secret")


def test_the_time_of_a_hand_over_is_given_back_without_a_word(page: Page) -> None:
    told: list[str] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda frame: told.append(str(frame))),
    )
    hide_a_code(page, {"Time for a turn": "60"})
    page.get_by_role("button", name="I am Player two").click()
    playing.until(page, lambda: any('"time-offered"' in frame for frame in told))
    expect(page.get_by_role("status")).to_contain_text("Your turn: row 1.")
    playing.fill(page, (1,))
    expect(page.get_by_role("status")).to_contain_text("Hole 1: red.")
    assert page.locator("#status.shown").count() == 0
    playing.by_keyboard(page, (2, 3, 4))
    expect(headline(page)).to_contain_text("broke the code")
    expect(page.locator(".clock")).to_be_hidden()


def test_no_turn_runs_out_while_the_device_is_handed_over(page: Page) -> None:
    """Half of a turn is given back as soon as it has passed."""
    said: list[dict[str, Any]] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda frame: said.append(json.loads(frame))),
    )
    page.route("**/api/tables", _with_short_turns)
    hide_a_code(page, {})
    playing.until(page, lambda: any(frame["type"] == "offer-time" for frame in said))
    expect(page.locator(".curtain")).to_be_visible()


def _with_short_turns(route: Route) -> None:
    asked = json.loads(route.request.post_data or "")
    route.continue_(post_data={**asked, "turn_seconds": 4})


def test_on_one_device_both_agree_on_a_time_limit_at_once(page: Page) -> None:
    page.goto("/")
    page.get_by_text("More settings").click()
    page.get_by_role("button", name="Two on this device").click()
    in_hand(page, "secret")
    act(page, "propose-limit")
    expect(page.locator("dialog[open]")).to_contain_text("If both of you agree")
    agree(page)
    expect(page.locator(".limit")).to_have_text("From the next turn: 3 minutes for each turn.")
