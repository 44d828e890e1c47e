from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from harness.browser import open_table
from harness.servers.processes import ServerProcess
from harness.servers.settings import ROOMY
from keypeg.server.pages import WEB, site
from keypeg.server.settings import Settings
from tests.web.conftest import serving
from tests.web.playing import ELSEWHERE, headline, in_hand, until

MOST_SENT = 60_000
"""Bytes of a first visit as they are sent, compressed."""
MOST_UNPACKED = {"/": 100_000} | dict.fromkeys(
    ("/daily", "/puzzle", "/storm", "/print", "/race", "a table", "a race"), 150_000
)
MOST_REQUESTS = 64


def test_one_click_starts_a_classic_game_against_the_computer(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    expect(headline(page)).to_have_text("Your turn: row 1")
    expect(page.locator(".row")).to_have_count(10)
    expect(page.locator(".hand .hole")).to_have_count(4)
    expect(page.locator(".swatch")).to_have_count(6)


def test_a_click_before_the_page_is_ready_is_not_lost(page: Page) -> None:
    held: list[Route] = []
    page.route("**/pages/start.js", lambda route: held.append(route))  # noqa: PLW0108 - no built-in may be
    page.goto("/", wait_until="commit")
    button = page.get_by_role("button", name="Against the computer")
    expect(button).to_be_disabled()
    until(page, lambda: bool(held))
    held.pop().continue_()
    button.click()
    in_hand(page, "guess")


def test_the_four_official_boards_are_there_with_their_numbers(page: Page) -> None:
    page.goto("/")
    cards = page.locator(".board-card")
    expect(cards).to_have_count(5)
    for card, codes in enumerate(["1,296", "2,401", "32,768", "59,049"]):
        expect(cards.nth(card)).to_contain_text(f"{codes} codes")
    page.get_by_label("Advanced with blanks").check()
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    expect(page.locator(".row")).to_have_count(12)
    expect(page.locator(".swatch")).to_have_count(9)


def test_a_board_of_ones_own_is_played_or_refused_with_the_reason(page: Page) -> None:
    page.goto("/")
    page.get_by_text("More settings").click()
    page.get_by_role("spinbutton", name="Holes").fill("7")
    page.get_by_label("A colour may appear more than once").uncheck()
    page.get_by_role("button", name="Against the computer").click()
    expect(page.locator("#problem")).to_contain_text("6 cannot fill 7")
    page.get_by_role("spinbutton", name="Holes").fill("3")
    page.get_by_role("spinbutton", name="Rows").fill("4")
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    expect(page.locator(".row")).to_have_count(4)
    for key in "112":
        page.keyboard.press(key)
    expect(page.locator("#reason")).to_have_text(
        "Repeats are off on this board: red is in holes 1 and 2"
    )


def test_choices_stay_and_enter_in_a_field_starts_nothing(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    page.goto("/")
    page.get_by_label("Your name").fill("Ann")
    page.locator("[value='custom']").check()
    page.get_by_role("spinbutton", name="Holes").fill("5")
    page.get_by_label("A colour may appear more than once").uncheck()
    page.get_by_label("Series").select_option("4")
    page.get_by_label("Time for a turn").select_option("180")
    page.get_by_label("The computer").select_option("strong")
    page.get_by_label("Name of the second player").fill("Bob")
    for field in ("name", "holes", "friend", "games"):
        page.locator(f"[name='{field}']").press("Enter")
    page.reload()
    expect(page.get_by_label("Your name")).to_have_value("Ann")
    expect(page.locator("[value='custom']")).to_be_checked()
    expect(page.locator(".board-card").last).to_contain_text(
        "5 holes, 6 colours, 10 rows, no repeats"
    )
    expect(page.get_by_text("More settings: 4 games · 3 minutes")).to_be_visible()
    page.get_by_text("More settings").click()
    expect(page.get_by_label("A colour may appear more than once")).not_to_be_checked()
    expect(page.get_by_label("The computer")).to_have_value("strong")
    expect(page.get_by_label("Name of the second player")).to_have_value("Bob")
    assert "POST" not in asked


def test_the_buttons_to_play_are_always_in_reach_on_a_phone(page: Page) -> None:
    page.goto("/")
    for width, height in ((320, 568), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#more").evaluate("more => more.open = true")
        for part in (0, 0.5, 1):
            page.evaluate(f"scrollTo(0, {part} * (document.body.scrollHeight - innerHeight))")
            for choice in page.locator(".choice").all():
                box = choice.bounding_box()
                assert box is not None
                assert 0 <= box["y"] <= box["y"] + box["height"] <= height, part


def test_a_name_that_is_refused_leaves_no_table_behind(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    page.goto("/")
    page.get_by_text("More settings").click()
    page.get_by_label("Name of the second player").fill("a\u202eb")
    page.get_by_role("button", name="Two on this device").click()
    expect(page.locator("#problem")).to_contain_text("is not a valid name")
    assert "POST" not in asked
    page.get_by_label("Name of the second player").fill("👩\u200d👦")
    page.get_by_role("button", name="Two on this device").click()
    in_hand(page, "secret")


WATCH = """window.shifted = 0; new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
}).observe({ type: "layout-shift", buffered: true });"""
SHIFTED = """() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(
    () => setTimeout(() => resolve(window.shifted)))))"""
"""How much of the page has moved since its first paint."""


def test_what_is_there_at_first_paint_stays_where_it_is(
    browser: Browser, page: Page, server: ServerProcess
) -> None:
    page.goto("/")
    table = open_table(page, opponent="strong", first_maker="two")
    shifts = {}
    for width, height in ((390, 844), (1280, 800)):
        context = browser.new_context(
            base_url=server.url, viewport={"width": width, "height": height}
        )
        context.add_init_script(WATCH)
        first = context.new_page()
        reading = ("/learn", "/assistant", "/review", "/games", "/mistakes", "/progress")
        for path in (*reading, "/daily", "/puzzle", "/storm", "/print", table, "/"):
            first.goto(path, wait_until="networkidle")
            shifts[path, width] = first.evaluate(SHIFTED)
        first.evaluate("document.body.prepend(document.querySelector('.boards').cloneNode(true))")
        assert first.evaluate(SHIFTED) > 0.05, "what moves is noticed"
        context.close()
    assert all(shift < 0.05 for shift in shifts.values()), shifts


def test_a_first_visit_offers_to_teach_and_a_later_one_to_go_on(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("link", name="Learn the game in a minute")).to_be_visible()
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    table = page.url
    page.goto("/")
    page.get_by_role("link", name="Continue your game").click()
    in_hand(page, "guess")
    expect(page).to_have_url(table)


@pytest.mark.parametrize("page_of", MOST_UNPACKED)
def test_the_first_load_is_small_and_asks_nobody_else(
    browser: Browser, page: Page, server: ServerProcess, page_of: str
) -> None:
    """Whichever page somebody sees first: the start page, or one whose link they were sent."""
    page.goto("/")
    path = {"a table": open_table, "a race": open_race}.get(page_of, lambda _: page_of)(page)
    context = browser.new_context(base_url=server.url)
    first = context.new_page()
    asked: list[Request] = []
    first.on("requestfinished", lambda request: asked.extend([request]))
    first.goto(path, wait_until="networkidle")
    assert all(request.url.startswith(server.url) for request in asked)
    assert sum(request.sizes()["responseBodySize"] for request in asked) < MOST_SENT
    assert sum(len(_body(request)) for request in asked) < MOST_UNPACKED[page_of]
    assert len(asked) <= MOST_REQUESTS
    # Whatever the page names is used, and what it does not name is imported by its script.
    modules = {urlsplit(request.url).path for request in asked if request.url.endswith(".js")}
    named = first.locator("script, link[rel=modulepreload]").evaluate_all(NAMED)
    script = first.request.get(named[0]).text()
    imported = {
        urljoin(named[0], path) for path in re.findall(r'^import .*"(.*)";', script, re.MULTILINE)
    }
    assert modules == {*named, *imported}
    assert len(modules) == len(named) + len(imported)
    context.close()


def open_race(page: Page) -> str:
    page.goto("/race")
    page.get_by_role("button", name="Open the race").click()
    expect(headline(page)).to_have_text("Waiting for others")
    return page.url


NAMED = "parts => parts.map((part) => part.getAttribute('src') ?? part.getAttribute('href'))"


def test_modules_travel_without_comments_and_indentation_and_keep_their_lines() -> None:
    for name, content in site().assets.items():
        if name.endswith(".js"):
            source = (WEB / name).read_text()
            served = content.plain.decode()
            assert served.count("\n") == source.count("\n"), name
            assert not re.search(r"^\s*/\*\*[^/]*\*/\s*$", served, re.MULTILINE), name
            lines = [line.strip() for line in source.splitlines()]
            code = [line for line in lines if line and not re.match(r"/\*\*|\*", line)]
            assert [line for line in served.splitlines() if line][-1] == code[-1]
            assert set(code) <= set(served.splitlines()), name
            # A text over several lines would lose its indentation as well.
            assert all(line.count("`") % 2 == 0 for line in code), name
        if name.endswith(".css"):
            assert b"/*" not in content.plain, name
            assert content.plain.count(b"\n") == (WEB / name).read_text().count("\n"), name


def _body(request: Request) -> bytes:
    response = request.response()
    return b"" if response is None or request.method != "GET" else response.body()


def test_a_strict_policy_guards_every_page_and_assets_keep_for_ever(page: Page) -> None:
    answer = page.goto("/")
    assert answer is not None
    policy = answer.header_value("content-security-policy") or ""
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    script = page.locator("script").get_attribute("src") or ""
    assert re.fullmatch(r"/web/[0-9a-f]{12}/pages/start\.js", script)
    asset = page.request.get(script)
    assert "immutable" in asset.headers["cache-control"]


def test_there_is_no_such_page_and_no_such_table(page: Page) -> None:
    assert page.request.get("/nowhere").status == 404
    assert page.request.get("/web/x/../pyproject.toml").status == 404
    assert page.request.get("/table/" + "x" * 22 + "/qr.svg").status == 404


def test_an_invitation_has_the_address_at_which_others_find_the_server(page: Page) -> None:
    page.add_init_script(ELSEWHERE)
    page.goto("/")
    page.get_by_role("button", name="Against a friend").click()
    link = re.compile(r"http://192\.168\.7\.3:8000/table/[\w-]{22}")
    expect(page.get_by_label("Link")).to_have_value(link)
    # Not wait_for_function: it polls with eval, which our Content-Security-Policy forbids.
    page.locator(".qr").evaluate("(image) => image.decode()")


def test_an_invitation_that_only_this_device_can_open_says_so(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Against a friend").click()
    expect(page.locator(".invitation")).to_contain_text("Only this device can open this link.")
    expect(page.locator(".qr")).to_have_count(0)


def test_the_usual_limits_leave_room_for_a_family_to_begin(
    browser: Browser, tmp_path: Path
) -> None:
    """Two people behind one address load everything for the first time, and all can play."""
    usual = {name: getattr(Settings(), name) for name in ROOMY}
    with serving(tmp_path, **usual) as url:
        for _ in range(2):
            context = browser.new_context(base_url=url)
            page = context.new_page()
            page.goto("/")
            page.get_by_role("button", name="Against the computer").click()
            in_hand(page, "guess")
            context.close()
