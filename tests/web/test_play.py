"""Whole games against the computer, and every way to fill a row."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from keypeg.rules import score
from tests.web import playing
from tests.web.playing import SIZES, act, break_code, headline, in_hand, rows


@pytest.fixture
def table(page: Page) -> Page:
    """A classic game against the computer, the player to break."""
    page.goto("/")
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    return page


def expect_hole(page: Page, number: int, peg: str) -> None:
    """A hole of the row being filled; the page postpones changes until a move is acknowledged."""
    hole = page.locator(".hand .hole").nth(number - 1)
    expect(hole).to_have_attribute("aria-label", f"Hole {number}: {peg}")


def expect_draft(page: Page, *pegs: str) -> None:
    for number, peg in enumerate(pegs, 1):
        expect_hole(page, number, peg)


def test_a_whole_series_by_mouse_with_roles_swapped_and_a_rematch(table: Page) -> None:
    needed = break_code(table, playing.by_mouse)
    expect(headline(table)).to_contain_text(f"You broke the code in {needed} row")
    expect(table.locator(".shield")).to_have_attribute("data-state", "open")
    expect(table.locator(".outcome")).to_contain_text("✓ Verified")
    assert playing.points(table) == ["0", str(needed)]
    act(table, "next-game")
    in_hand(table, "secret")
    said = playing.heard(table)
    playing.by_mouse(table, (1, 2, 3, 4))
    expect(table.locator("[data-action='rematch']")).to_be_visible()
    answered = rows(table)
    told = [words.partition(":")[0] for words in said() if words.startswith("Row ")]
    assert told == [f"Row {number}" for number in range(1, len(answered) + 1)], "each row once"
    assert all(score((1, 2, 3, 4), guess) == keys for guess, keys in answered)
    mine = len(answered)
    assert playing.points(table) == [str(mine), str(needed)]
    expect(table.locator(".outcome p").first).to_have_text(re.compile(r"^Computer broke .*\w\.$"))
    words = "You win" if mine > needed else "Computer wins" if mine < needed else "A tie"
    expect(headline(table)).to_contain_text(words)
    act(table, "rematch")
    in_hand(table, "secret")  # who made first now breaks first
    assert playing.points(table) == ["0", "0"]


def test_a_whole_game_by_keyboard_alone(table: Page) -> None:
    table.keyboard.press("?")
    expect(table.get_by_role("dialog", name="Help")).to_be_visible()
    table.keyboard.press("Escape")
    break_code(table, playing.by_keyboard)
    for _ in range(30):
        table.keyboard.press("Tab")
        if table.evaluate("document.activeElement.dataset.action") == "next-game":
            break
    table.keyboard.press("Enter")
    in_hand(table, "secret")
    playing.by_keyboard(table, (6, 6, 1, 2))
    expect(table.locator("[data-action='rematch']")).to_be_visible()


def test_a_whole_game_by_finger_on_a_phone(
    browser: Browser, browser_context_args: dict[str, Any]
) -> None:
    phone = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(**{**browser_context_args, **phone})
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Against the computer").tap()
    in_hand(page, "guess")
    break_code(page, playing.by_finger)
    expect(headline(page)).to_contain_text("You broke the code")
    context.close()


def test_a_whole_game_by_typed_commands(table: Page) -> None:
    break_code(table, playing.by_typing)
    playing.command(table, "last")
    expect(table.get_by_role("status")).to_contain_text("4 black, 0 white.")
    playing.command(table, "next")
    in_hand(table, "secret")
    playing.command(table, "secret rrbb")
    expect(table.locator("[data-action='rematch']")).to_be_visible()
    playing.command(table, "nonsense")
    expect(table.get_by_role("status")).to_contain_text("“nonsense” is not a command")


def test_pegs_are_dragged_from_the_tray_between_holes_and_from_an_old_row(table: Page) -> None:
    swatch, holes = table.locator(".swatch[data-peg='3']"), table.locator(".hand .hole")
    swatch.drag_to(holes.nth(2))
    expect_draft(table, "empty", "empty", "yellow", "empty")
    holes.nth(2).drag_to(holes.nth(0))
    expect_draft(table, "yellow", "empty", "empty", "empty")
    expect(table.locator(".row.played")).to_have_count(0)
    playing.by_keyboard(table, (1, 2, 3, 4))
    in_hand(table, "guess")
    table.locator(".row.played .hole").nth(3).drag_to(holes.nth(1))
    expect_hole(table, 2, "green")
    holes.nth(1).drag_to(table.locator(".headline"))
    expect_hole(table, 2, "empty")


def test_a_finger_drags_a_peg_from_an_old_row_down_to_the_hand(
    browser: Browser, browser_context_args: dict[str, Any]
) -> None:
    phone = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(**{**browser_context_args, **phone})
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Against the computer").tap()
    in_hand(page, "guess")
    playing.by_finger(page, (1, 2, 3, 4))
    expect(headline(page)).to_have_text("Your turn: row 2")
    start = centre(page, ".row.played .hole >> nth=3")
    end = centre(page, ".hand .hole >> nth=0")
    touch = context.new_cdp_session(page)
    for kind, (x, y) in (
        ("touchStart", start),
        ("touchMove", (start[0], start[1] + 20)),
        ("touchMove", end),
    ):
        point = {"type": kind, "touchPoints": [{"x": x, "y": y}]}
        touch.send("Input.dispatchTouchEvent", point)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator(".hand .hole").first).to_have_attribute("aria-label", "Hole 1: green")
    expect(page.locator(".row.played")).to_have_count(1)
    context.close()


def centre(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_check_button_says_why_it_waits_and_a_drop_never_checks(table: Page) -> None:
    expect(table.locator("#reason")).to_have_text("4 holes are empty")
    expect(table.locator(".check")).to_have_attribute("aria-disabled", "true")
    table.locator(".check").click(force=True)
    expect(table.get_by_role("status")).to_have_text("4 holes are empty.")
    expect(table.get_by_role("status")).to_have_class("shown")
    table.keyboard.press("1")
    expect(table.get_by_role("status")).not_to_have_class("shown")
    for key in "12":
        table.keyboard.press(key)
    expect(table.locator("#reason")).to_have_text("1 hole is empty")
    table.locator(".swatch[data-peg='2']").drag_to(table.locator(".hand .hole").nth(3))
    expect(table.locator(".check")).not_to_have_attribute("aria-disabled", "true")
    expect(table.locator(".row.played")).to_have_count(0)


def test_a_row_is_undone_cleared_and_held_by_tapping(table: Page) -> None:
    for peg in (1, 2):
        table.locator(f".swatch[data-peg='{peg}']").click()
    table.get_by_role("button", name="Clear").click()
    expect_draft(table, *["empty"] * 4)
    table.get_by_role("button", name="Undo").click()
    expect_draft(table, "red", "blue", "empty", "empty")
    table.locator(".hand .hole").first.click()
    hold = table.get_by_role("button", name="Hold")
    hold.click()
    expect(hold).to_have_attribute("aria-pressed", "true")
    expect_hole(table, 1, "red, held")
    table.keyboard.press("Control+Backspace")
    expect_draft(table, *["empty"] * 4)


def test_letters_and_digits_are_shortcuts_until_they_are_switched_off(table: Page) -> None:
    table.get_by_role("button", name="Look and sound").click()
    table.get_by_label("Letters and digits as shortcuts").uncheck()
    table.keyboard.press("Escape")
    for key in ("1", "r", "h", "?", "Shift+L"):
        table.keyboard.press(key)
    expect(table.locator("dialog[open]")).to_have_count(0)
    expect(table.locator("html")).to_have_attribute("data-labels", "letters")
    table.keyboard.press("ArrowUp")
    expect_draft(table, "red", "empty", "empty", "empty")
    table.get_by_role("button", name="Help").click()
    keys = table.get_by_role("dialog", name="Help").locator("kbd:visible")
    expect(keys.first).to_be_visible()
    shown = keys.all_inner_texts()
    assert {"↑", "Enter", "Ctrl+Z"} <= set(shown)
    assert not {"H", "L", "Shift+L", "?"} & set(shown)


def test_enter_places_a_focused_colour_and_checks_after_the_mouse(table: Page) -> None:
    table.locator(".swatch[data-peg='1']").focus()
    for _ in range(4):
        table.keyboard.press("Enter")
    table.keyboard.press("ArrowRight")
    table.keyboard.press("Enter")
    expect_draft(table, "red", "red", "red", "blue")
    expect(table.locator(".row.played")).to_have_count(0)
    table.locator(".swatch[data-peg='3']").click()
    expect(table.locator(".hand .hole").nth(3)).to_be_focused()
    table.keyboard.press("Enter")
    expect(headline(table)).to_have_text("Your turn: row 2")
    playing.command(table, "copy 1")
    expect_draft(table, "red", "red", "red", "yellow")
    playing.command(table, "check")
    expect(headline(table)).to_have_text("Your turn: row 3")
    assert rows(table)[0] == rows(table)[1]


def test_the_first_game_has_tips_that_go_away_for_good(table: Page) -> None:
    coach = table.locator(".coach")
    expect(coach).to_contain_text("Tap a colour to place a peg.")
    playing.fill(table, (4, 4, 5, 5))
    expect(coach).to_contain_text("Press Check.")
    table.keyboard.press("Enter")
    expect(coach).to_contain_text("Black: right colour, right hole.")
    expect(headline(table)).to_have_text("Your turn: row 2")
    playing.by_keyboard(table, (4, 4, 5, 6))
    expect(headline(table)).to_have_text("Your turn: row 3")
    expect(coach).to_be_hidden()
    table.goto("/")
    table.get_by_role("button", name="Against the computer").click()
    in_hand(table, "guess")
    expect(coach).to_be_hidden()


def test_the_newest_answer_is_told_in_words_and_none_looks_different(table: Page) -> None:
    for number, (row, words) in enumerate(
        (((4, 4, 5, 5), "none"), ((1, 2, 5, 5), "2 white"), ((2, 1, 1, 5), "2 black, 1 white")), 1
    ):
        playing.by_keyboard(table, row)
        expect(headline(table)).to_have_text(f"Your turn: row {number + 1}")
        expect(table.locator(".row.newest .words")).to_have_text(words)
        expect(table.locator(".row.newest")).to_have_attribute("data-row", str(number))
    expect(table.locator(".keys.nothing")).to_have_count(1)
    for width, height in ((320, 568), (390, 844), (844, 390), (768, 1024), (1280, 800)):
        table.set_viewport_size({"width": width, "height": height})
        expect(table.locator(".row.newest .words")).to_be_visible()
        keys = table.locator(".row.played .key:not(.none)").evaluate_all(SIDES)
        assert all(side >= 9 and side == other for side, other in keys), f"{keys} on {width}"


def test_the_key_pegs_of_the_advanced_board_can_be_read_on_a_phone(page: Page) -> None:
    page.goto("/")
    page.locator("[name='board'][value='advanced']").check()
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    playing.by_keyboard(page, (1, 2, 3, 4, 5))
    expect(headline(page)).to_have_text("Your turn: row 2")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        keys = page.locator(".row.played .key:not(.none)").evaluate_all(SIDES)
        assert keys
        assert all(side >= 9 and side == other for side, other in keys), f"{keys} on {width}"
        tops = page.locator(".hand .hole").evaluate_all(
            "holes => holes.map((one) => one.offsetTop)"
        )
        assert len(set(tops)) == 1, f"the holes are not in one line on {width}"


SIDES = "keys => keys.map((key) => [key.offsetWidth, key.offsetHeight])"


def test_hold_copy_fill_and_undo(table: Page) -> None:
    for key in "1234":
        table.keyboard.press(key)
    table.keyboard.press("ArrowLeft")
    table.keyboard.press("Space")
    expect_hole(table, 3, "yellow, held")
    table.keyboard.press("Enter")
    expect(table.locator(".row.played")).to_have_count(1)
    expect(headline(table)).to_have_text("Your turn: row 2")
    expect_draft(table, "empty", "empty", "yellow, held", "empty")
    table.keyboard.press("Control+d")
    expect_draft(table, "red", "blue", "yellow, held", "green")
    table.keyboard.press("Control+z")
    expect_draft(table, "empty", "empty", "yellow, held", "empty")
    table.locator(".swatch[data-peg='5']").hover()
    table.mouse.down()
    expect(table.locator(".hand .hole").last).to_have_attribute("aria-label", "Hole 4: white")
    table.mouse.up()
    expect_draft(table, "white", "white", "yellow, held", "white")
    table.keyboard.press("Control+z")
    table.locator(".row.played .pegs").dblclick()
    expect_hole(table, 1, "red")


def test_arrows_walk_the_holes_and_turn_the_colours(table: Page) -> None:
    table.keyboard.press("ArrowUp")
    table.keyboard.press("ArrowUp")
    expect_hole(table, 1, "blue")
    table.keyboard.press("ArrowRight")
    table.keyboard.press("ArrowDown")
    expect_hole(table, 2, "black")
    table.keyboard.press("Delete")
    table.keyboard.press("Backspace")
    expect_draft(table, *["empty"] * 4)


def test_the_tray_is_one_stop_of_the_tab_key_and_arrows_walk_it(table: Page) -> None:
    first = table.locator(".swatch").first
    first.focus()
    table.keyboard.press("ArrowRight")
    table.keyboard.press("ArrowRight")
    expect(table.locator(".swatch[data-peg='3']")).to_be_focused()
    table.keyboard.press("Space")
    expect_hole(table, 1, "yellow")
    expect(table.locator(".swatch[tabindex='0']")).to_have_count(1)


def test_what_happens_is_said_in_the_one_status_region(table: Page) -> None:
    expect(table.get_by_role("status")).to_have_count(1)
    playing.fill(table, (1, 1, 2, 2))
    expect(table.get_by_role("status")).to_contain_text("Hole 4: blue.")
    table.keyboard.press("ArrowLeft")
    expect(table.get_by_role("status")).to_contain_text("Hole 3: blue.")
    table.keyboard.press("Enter")
    expect(table.get_by_role("status")).to_contain_text("Row 1: red, red, blue, blue.")
    expect(table.get_by_role("log")).to_contain_text("Row 1: red, red, blue, blue.")
    table.keyboard.press("l")
    expect(table.get_by_role("status")).to_contain_text("Row 1: red, red, blue, blue.")


def test_hints_go_from_the_gentlest_to_a_guess_and_only_when_asked_for(table: Page) -> None:
    asked: dict[str, str] = {}

    def note(request: Request) -> None:
        if "/hints" in request.url:
            body = json.loads(request.post_data or "")
            asked[body["id"]] = body["grade"]

    table.on("request", note)
    playing.by_keyboard(table, (1, 1, 2, 2))
    expect(headline(table)).to_have_text("Your turn: row 2")
    playing.fill(table, (1, 1, 2, 2))
    table.keyboard.press("h")
    dialog = table.get_by_role("dialog", name="Hint")
    expect(dialog).to_contain_text("all the answers.")
    expect(dialog.locator(".strip")).to_have_count(0)
    dialog.get_by_role("button", name="Could my row be the code?").click()
    expect(dialog).to_contain_text("No: it contradicts row 1.")
    dialog.get_by_role("button", name="The best guess").click()
    expect(dialog.locator(".strip .peg")).to_have_count(4)
    dialog.get_by_role("button", name="A good guess").click()
    expect(dialog).to_contain_text("It could be the code")
    dialog.get_by_role("button", name="The best guess").click()
    dialog.get_by_role("button", name="A good guess").click()
    expect(dialog).to_contain_text("It could be the code")
    # A hint is paid when it is taken, and not again when it is looked at again.
    assert [*asked.values()] == ["left", "may", "best", "good"]
    dialog.get_by_role("button", name="Put it into my row").click()
    expect(table.locator(".check")).not_to_have_attribute("aria-disabled", "true")
    table.keyboard.press("h")
    dialog.get_by_role("button", name="Could my row be the code?").click()
    expect(dialog).to_contain_text("Yes: it fits every answer so far.")


def test_a_hint_that_takes_its_time_says_so(table: Page) -> None:
    held: list[Route] = []
    table.route("**/hints*", lambda route: held.append(route))  # noqa: PLW0108 - no built-in may be
    table.keyboard.press("h")
    dialog = table.get_by_role("dialog", name="Hint")
    expect(dialog).to_contain_text("Counting the codes that fit…")
    playing.until(table, lambda: bool(held))
    held.pop().continue_()
    expect(dialog).to_contain_text("1,296 codes fit all the answers.")


def test_a_hint_that_is_refused_says_why(table: Page) -> None:
    problem = {"code": "too-many", "message": "no more hints today"}
    table.route("**/hints*", lambda route: route.fulfill(status=429, json=problem))
    table.keyboard.press("h")
    dialog = table.get_by_role("dialog", name="Hint")
    expect(dialog).to_contain_text("No more hints today.")


def test_pegs_in_a_dialog_have_the_colours_of_the_board(table: Page) -> None:
    table.keyboard.press("h")
    dialog = table.get_by_role("dialog", name="Hint")
    dialog.get_by_role("button", name="A good guess").click()
    fill = "peg => [peg.dataset.peg, getComputedStyle(peg).backgroundColor]"
    expect(dialog.locator(".strip .peg")).to_have_count(4)
    for peg in dialog.locator(".strip .peg").all():
        number, colour = peg.evaluate(fill)
        swatch = table.locator(f".swatch[data-peg='{number}'] .peg")
        assert swatch.evaluate(fill) == [number, colour]
        assert colour != "rgba(0, 0, 0, 0)"


def test_a_key_pressed_as_a_dialog_closes_is_not_lost(table: Page) -> None:
    table.keyboard.press("h")
    dialog = table.get_by_role("dialog", name="Hint")
    dialog.get_by_role("button", name="A good guess").click()
    dialog.get_by_role("button", name="Put it into my row").evaluate(
        """button => {
          button.focus();
          button.click();
          const press = { key: "Enter", bubbles: true, cancelable: true };
          document.activeElement.dispatchEvent(new KeyboardEvent("keydown", press));
        }"""
    )
    expect(headline(table)).to_have_text("Your turn: row 2")


def test_a_hint_asked_for_twice_in_a_hurry_is_given_once(table: Page) -> None:
    table.evaluate(
        """() => {
          const press = { key: "h", bubbles: true, cancelable: true };
          for (let times = 0; times < 2; times++)
            document.body.dispatchEvent(new KeyboardEvent("keydown", press));
        }"""
    )
    expect(table.get_by_role("dialog", name="Hint")).to_be_visible()
    expect(table.get_by_role("dialog", name="Hint")).to_have_count(1)


def test_a_quick_hand_loses_no_peg_while_a_row_is_checked(table: Page) -> None:
    for key in (*"1122", "Enter", *"34"):
        table.keyboard.press(key)
    expect(headline(table)).to_have_text("Your turn: row 2")
    expect(table.locator("#reason")).to_have_text("2 holes are empty")
    expect_draft(table, "yellow", "green", "empty", "empty")


def test_a_blank_is_refused_with_the_reason_where_blanks_are_off(table: Page) -> None:
    table.keyboard.press("0")
    expect(table.get_by_role("status")).to_have_text("Blanks are off on this board.")
    expect_draft(table, *["empty"] * 4)


def test_labels_change_with_a_key_and_stay_after_a_reload(table: Page) -> None:
    expect(table.locator("html")).to_have_attribute("data-labels", "letters")
    table.keyboard.press("Shift+L")
    expect(table.locator("html")).to_have_attribute("data-labels", "shapes")
    table.reload()
    in_hand(table, "guess")
    expect(table.locator("html")).to_have_attribute("data-labels", "shapes")
    expect(table.locator(".swatch .shape").first).to_be_visible()


def test_a_reload_gives_back_the_seat_and_the_half_filled_row(table: Page) -> None:
    playing.by_keyboard(table, (1, 1, 2, 2))
    expect(headline(table)).to_have_text("Your turn: row 2")
    table.keyboard.press("3")
    table.keyboard.press("4")
    expect_draft(table, "yellow", "green", "empty", "empty")
    table.reload()
    in_hand(table, "guess")
    expect_draft(table, "yellow", "green", "empty", "empty")
    assert len(rows(table)) == 1
    again = table.context.new_page()
    table.close()
    again.goto(table.url)
    in_hand(again, "guess")
    expect_draft(again, "yellow", "green", "empty", "empty")


@pytest.mark.parametrize(("motion", "pegs"), [("no-preference", 36), ("reduce", 0)])
def test_a_broken_code_is_celebrated_unless_motion_is_unwelcome(
    table: Page, motion: Literal["no-preference", "reduce"], pegs: int
) -> None:
    table.emulate_media(reduced_motion=motion)
    # What fell is counted, since it is gone in a moment.
    table.evaluate(
        """() => {
          window.fallen = 0;
          new MutationObserver(changes => {
            for (const { addedNodes: [added] } of changes)
              if (added?.className === "rain") window.fallen += added.children.length;
          }).observe(document.body, { childList: true });
        }"""
    )
    break_code(table, playing.by_keyboard)
    expect(headline(table)).to_contain_text("You broke the code")
    playing.until(table, lambda: table.evaluate("window.fallen") == pegs)
    expect(table.locator(".rain")).to_have_count(0)


def test_the_focus_goes_on_when_what_had_it_is_gone(table: Page) -> None:
    table.locator("[data-action='resign']").press("Enter")
    table.locator("dialog[open] .primary").press("Enter")
    expect(headline(table)).to_have_text("You gave up this game")
    expect(headline(table)).to_be_focused()
    table.locator("[data-action='next-game']").press("Enter")
    in_hand(table, "secret")
    expect(table.locator(".hand .hole").first).to_be_focused()
    playing.fill(table, (1, 2, 3, 4))
    table.locator(".check").press("Enter")
    expect(headline(table)).to_be_focused()


def test_resigning_asks_first(table: Page) -> None:
    act(table, "resign")
    table.get_by_role("button", name="Not now").click()
    in_hand(table, "guess")
    act(table, "resign")
    playing.agree(table)
    expect(headline(table)).to_have_text("You gave up this game")
    assert playing.points(table) == ["0", "11"]


def test_the_view_folded_here_is_the_one_the_server_would_send(table: Page) -> None:
    """Every update is folded in the browser; a fresh snapshot must say the same."""
    frames: list[str] = []
    table.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda payload: frames.append(str(payload))),
    )
    table.reload()
    break_code(table, playing.by_keyboard)
    act(table, "next-game")
    in_hand(table, "secret")
    playing.by_keyboard(table, (1, 2, 3, 4))
    expect(table.locator("[data-action='rematch']")).to_be_visible()
    folded, fresh = table.evaluate(
        """async (frames) => {
            const src = document.querySelector("script").src;
            const { receive } = await import(new URL("../game/table.js", src));
            let view = null;
            for (const frame of frames) view = receive(view, JSON.parse(frame), 0);
            const id = location.pathname.split("/")[2];
            const fresh = await (await fetch(`/api/tables/${id}`)).json();
            return [view.table, fresh];
        }""",
        frames,
    )
    assert {**folded, "now": 0} == {**fresh, "now": 0}
