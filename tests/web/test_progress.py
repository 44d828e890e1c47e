"""My mistakes and progress: what a player has done, kept in the browser and exported."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web import playing
from tests.web.playing import act, agree, in_hand
from tests.web.test_access import KEPT, MISTAKES, PLAYED, keep

SECRET = (2, 3, 1, 1)
"""What the dealer deals on the classic board."""


def finished_series(page: Page) -> None:
    """Play a series with a wasted row in it against the computer."""
    page.goto("/")
    page.get_by_role("button", name="Against the computer").click()
    for row, code in enumerate(((1, 1, 1, 1), (1, 1, 1, 1)), 2):
        in_hand(page, "guess")
        playing.by_keyboard(page, code)
        expect(playing.headline(page)).to_have_text(f"Your turn: row {row}")
    playing.by_keyboard(page, SECRET)
    act(page, "next-game")
    in_hand(page, "secret")
    playing.by_keyboard(page, (1, 2, 3, 4))
    expect(page.locator("[data-action='rematch']")).to_be_visible()


def test_costly_rows_come_back_and_count(page: Page) -> None:
    finished_series(page)
    page.locator(".outcome").get_by_role("link", name="Progress").click()
    expect(page.locator(".rating")).to_have_text(re.compile(r"^[\d,]+ to [\d,]+$"))
    expect(page.locator("#progress")).to_contain_text("None was analysed yet")
    page.get_by_role("link", name="My mistakes").click()
    expect(page.locator("#mistakes")).to_contain_text("1 finished series has not been analysed")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("#mistakes")).to_contain_text("All your finished series have been analysed")
    expect(page.locator(".answer-text").first).to_have_text("2 left for today, 2 in all. 0 solved.")

    position = page.get_by_role("region", name="Position")
    expect(position.get_by_role("heading")).to_have_text("How would you begin?")
    playing.by_mouse(page, (6, 6, 6, 6))
    expect(position).to_contain_text(re.compile("guesses worse than the best row.*your row"))
    position.get_by_role("button", name="Show the best row").click()
    expect(position.get_by_role("img", name=re.compile("^Best: "))).to_be_visible()
    expect(position.get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".answer-text").first).to_have_text("1 left for today, 2 in all. 0 solved.")
    expect(page.locator(".answer-text").first).to_be_focused()

    expect(
        position.get_by_role("img", name=re.compile("^Row 1: red, red, red, red"))
    ).to_be_visible()
    best = page.evaluate(
        "JSON.parse(localStorage['keypeg.mistakes']).find(one => one.row === 2).best"
    )
    playing.by_keyboard(page, tuple(best))
    expect(position).to_contain_text(re.compile("No row is better.*guesses better than your row"))
    page.get_by_role("button", name="Next").press("Enter")
    expect(page.locator("#mistakes")).to_contain_text("That is all for today.")

    page.get_by_role("link", name="Progress").click()
    expect(page.locator("#progress")).to_contain_text("1 game: 1 code broken, with 3.00 rows")
    chart = page.get_by_role("img", name=re.compile("^Rows needed on average: you 3.00, beginner"))
    expect(chart).to_be_visible()
    page.get_by_text("The numbers").first.click()
    expect(page.get_by_role("row", name="optimum 4.340")).to_be_visible()


def test_a_mistake_is_mended_by_keyboard_alone(page: Page) -> None:
    page.goto("/mistakes")
    keep(page, mistakes=MISTAKES)
    page.reload()
    expect(page.get_by_role("region", name="Position")).to_be_visible()
    playing.by_keyboard(page, (5, 1, 3, 3))
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#mistakes")).to_contain_text("That is all for today.")


def test_everything_is_taken_along_as_a_file_and_as_text(page: Page, tmp_path: Path) -> None:
    page.goto("/progress")
    keep(page, series=KEPT, mistakes=MISTAKES, played=PLAYED)
    page.reload()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    saved = download.value.path().read_text()
    assert download.value.suggested_filename.endswith(".json")
    page.get_by_role("button", name="Ask the browser to keep it").click()
    answer = re.compile("did not agree|keeps this storage")
    expect(page.locator("#progress").get_by_text(answer)).to_be_visible()
    page.get_by_role("button", name="Delete everything").click()
    agree(page)
    expect(page.get_by_text("Nothing here yet")).to_be_visible()

    file = tmp_path / "saved.json"
    file.write_text(saved.replace('"classic"', "4"))
    page.get_by_label("From a file").set_input_files(file)
    expect(page.get_by_role("status").filter(has_text="Entry 1 of “series”")).to_be_visible()
    file.write_text(saved)
    page.get_by_label("From a file").set_input_files(file)
    added = "Added 2 series, 2 analysed games, and 1 mistake. What was here is still here."
    expect(page.get_by_text(added)).to_be_visible()
    expect(page.locator("#progress")).to_contain_text("2 games: 1 code broken")
    page.get_by_text("From text").click()
    page.get_by_label("The copied text").fill(saved)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Nothing was new")).to_be_visible()
    expect(page.get_by_text("This browser cannot read QR codes.")).to_be_visible()


CAMERA = """
    const canvas = document.createElement("canvas");
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream();
    HTMLVideoElement.prototype.play = async () => {};
    let read = 0;
    globalThis.BarcodeDetector = class {
        static getSupportedFormats = async () => ["qr_code"];
        detect = async () => [{ rawValue: "other" }, { rawValue: frames[read++ % frames.length] }];
    };
"""
"""A camera that sees one code after the other: Chromium on Debian has no reader of its own."""


def test_codes_are_shown_in_turn_and_read_by_a_camera(page: Page) -> None:
    page.goto("/progress")
    games = [{**json.loads(PLAYED)[0], "id": f"{at * 7919 % 9973:x}/1"} for at in range(400)]
    keep(page, series=KEPT, played=json.dumps(games))
    page.reload()
    page.get_by_role("button", name="Show as QR codes").click()
    codes = page.get_by_role("img", name=re.compile(r"^QR code 1 of \d"))
    expect(codes).to_be_visible()
    count = int((codes.get_attribute("aria-label") or "").split()[-1])
    assert count > 1
    page.get_by_role("button", name="Previous code").click()
    expect(page.get_by_role("img", name=f"QR code {count} of {count}")).to_be_visible()

    folder = (page.locator("script[type=module]").get_attribute("src") or "").rpartition("/pages/")[
        0
    ]
    frames = page.evaluate(
        f"""async () => {{
            const [{{ framesOf }}, {{ packed }}] = await Promise.all(
                ["frames", "userdata"].map((name) => import(`{folder}/transfer/${{name}}.js`)));
            return framesOf(packed());
        }}"""
    )
    page.evaluate("localStorage.clear()")
    page.add_init_script(f"const frames = {json.dumps(frames)}; {CAMERA}")
    page.reload()
    page.get_by_role("button", name="Read QR codes with the camera").click()
    expect(page.get_by_text("Added 2 series and 400 analysed games.")).to_be_visible()
    expect(page.get_by_role("button", name="Stop the camera")).to_be_hidden()


def test_a_browser_that_stores_nothing_says_so_and_goes_on(page: Page) -> None:
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })"
    )
    for path in ("/progress", "/mistakes", "/games"):
        page.goto(path)
        expect(page.get_by_text("This browser stores nothing for this page")).to_be_visible()
    page.goto("/progress")
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
