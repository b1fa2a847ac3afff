"""The page in a real browser: nothing asked for, nothing complained of, nothing cut."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from oddrank import rank_detectors
from oddrank.cli import main
from oddrank.detectors import pool_of
from oddrank.report import html_page
from tests.report.conftest import HOSTILE
from tests.small_ranking import small_ranking

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
PAGES = ["full", "wide", "drawn", "hostile"]


@pytest.fixture(scope="module")
def chromium(tmp_path_factory) -> Iterator[Any]:
    if not (CHROMIUM and DRIVER):
        reason = "no chromium and chromedriver: on Debian, apt-get install chromium chromium-driver"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    folder = tmp_path_factory.mktemp("chromium")
    for argument in (
        "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-extensions", f"--user-data-dir={folder}",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium) -> Iterator[Any]:
    yield chromium
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def show_as(browser: Any, width: int, *, scheme: str = "light", media: str = "") -> None:
    """Set the window's width, the system's colours and the medium; telephones are narrow."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    colours = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": colours})


def open_page(browser: Any, page: str, folder: Path) -> None:
    """Open the page, and fail if it complains or asks for anything but itself."""
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8", errors="backslashreplace")
    browser.get_log("performance")
    browser.get_log("browser")
    browser.get(path.as_uri())
    asked = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        sent = message["method"] == "Network.requestWillBeSent"
        # The browser's own start page may still be loading when this one is opened.
        if sent and message["params"]["documentURL"] == path.as_uri():
            asked.append(message["params"]["request"]["url"])
    assert [url for url in asked if url != path.as_uri() and not url.startswith("data:")] == []
    assert path.as_uri() in asked  # the log would show a request
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_its_window(browser, request, tmp_path, name, width):
    """Wide tables scroll in boxes of their own; the ranking and the odd rows need not scroll."""
    show_as(browser, width)
    open_page(browser, request.getfixturevalue(name).page, tmp_path)
    browser.execute_script("document.querySelectorAll('details').forEach((e) => e.open = true)")
    cut = browser.execute_script(
        "return [...document.querySelectorAll('h1, p, li, pre, figcaption, svg')]"
        ".filter((e) => e.scrollWidth > e.clientWidth + 1"
        " || e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.textContent)"
    )
    assert cut == []
    page = "document.documentElement"
    assert browser.execute_script(f"return {page}.scrollWidth <= {page}.clientWidth")
    scrolling = browser.execute_script(
        "return [...document.querySelectorAll('#ranking, #rows')].filter((table) =>"
        " table.parentElement.scrollWidth > table.parentElement.clientWidth + 1).length"
    )
    assert scrolling == 0 or name == "hostile"


def saved(browser: Any, folder: Path, name: str) -> Path:
    """Click "Save answers", and wait for the file."""
    behaviour = {"behavior": "allow", "downloadPath": str(folder)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    browser.find_element("id", "answers-save").click()
    for _ in range(100):
        if (folder / name).exists():
            return folder / name
        time.sleep(0.05)
    pytest.fail("nothing was saved")


def click_answers(browser: Any, *words: str) -> None:
    """Answer the first rows of the list."""
    groups = browser.find_elements("css selector", ".answer")
    for group, word in zip(groups, words, strict=False):
        group.find_element("css selector", f"button[value='{word}']").click()


def test_answers_are_saved_by_the_page_and_taken_up_by_the_command(browser, capsys, tmp_path):
    def run(*more: str) -> dict[str, Any]:
        assert main([*words, *more]) == 0
        return json.loads(capsys.readouterr().out)

    rows = np.random.default_rng(0).normal(size=(300, 3))
    pd.DataFrame(rows, columns=list("abc")).to_csv(tmp_path / "rows.csv", index=False)
    words = ("rank", str(tmp_path / "rows.csv"), "--detectors", "gaussian,mixture", "--jobs", "1",
             "--quiet", "--json")  # fmt: skip
    before = run("--html", str(tmp_path / "first.html"))
    open_page(browser, (tmp_path / "first.html").read_text(encoding="utf-8"), tmp_path)
    click_answers(browser, "yes", "no", "cannot say", "yes")
    click_answers(browser, "no")  # another answer replaces the first
    assert "4 answered, 1 of them yes, not saved yet." in browser.page_source
    file = saved(browser, tmp_path, "rows.answers.csv")
    assert "4 answered, 1 of them yes." in browser.page_source
    found = run("--answers", str(file), "--html", str(tmp_path / "second.html"))
    first = [int(each["row"].split()[-1]) - 2 for each in before["odd_rows"][:4]]
    table = pd.read_csv(tmp_path / "rows.csv")
    ranking = rank_detectors(pool_of(["gaussian", "mixture"]), table, n_jobs=1, random_state=0)
    told = ranking.tell(dict(zip(first, (False, False, None, True), strict=True)), by="row")
    expected = json.loads(json.dumps(told.to_dict()))
    # threads of the linear algebra may change the last digit
    for name in ("chances", "odd_row_count"):
        assert found.pop(name) == pytest.approx(expected.pop(name), rel=1e-9)
    command_line = {"remarks"}  # flags instead of parameters
    assert {k: v for k, v in found.items() if k in expected and k not in command_line} == {
        k: v for k, v in expected.items() if k not in command_line
    }
    # the next page knows the answers, and adds to them
    folder = tmp_path / "again"
    folder.mkdir()
    open_page(browser, (tmp_path / "second.html").read_text(encoding="utf-8"), folder)
    assert "4 answered, 1 of them yes." in browser.page_source
    lines = saved(browser, folder, "rows.answers.csv").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(file.read_text(encoding="utf-8").splitlines())


def test_answers_of_a_page_made_in_python_are_taken_by_tell(browser, tmp_path):
    ranking = small_ranking()
    open_page(browser, html_page(ranking), tmp_path)
    assert browser.find_element("id", "answers-save").is_enabled() is False
    click_answers(browser, "yes", "cannot say", "no", "no")
    file = saved(browser, tmp_path, "answers.csv")
    told = ranking.tell(pd.read_csv(file, index_col="row"), by="row")
    first = ranking.odd_rows().order[:4].tolist()
    assert told.answers == dict(zip(first, (True, None, False, False), strict=True))


def test_flags_are_not_broken_at_their_hyphens(browser, full, tmp_path):
    show_as(browser, 390)
    open_page(browser, full.page, tmp_path)
    broken = browser.execute_script(
        "return [...document.querySelectorAll('.flag')].map((e) => e.getClientRects().length)"
    )
    assert set(broken) == {1}


def test_hostile_names_show_as_text(browser, hostile, tmp_path):
    open_page(browser, hostile.page, tmp_path)
    assert not browser.execute_script("return window.hacked === true")
    assert browser.find_element("css selector", "h1").text == HOSTILE[0]
    shown = browser.execute_script("return document.body.textContent")
    for name in HOSTILE:
        assert name in shown
    assert len(browser.find_elements("css selector", "main > section figure > svg")) == 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_pictures_can_be_read_in_both_themes(browser, full, tmp_path, scheme):
    show_as(browser, 1280, scheme=scheme)
    open_page(browser, full.page, tmp_path)
    paper, *inks = browser.execute_script(
        "const style = (e, name) => getComputedStyle(e)[name];"
        "return [style(document.body, 'backgroundColor'), style(document.body, 'color'),"
        " ...[...document.querySelectorAll('figure text')].map((e) => style(e, 'fill')),"
        " ...[...document.querySelectorAll('figure path')].map((e) => style(e, 'stroke'))"
        "  .filter((colour) => colour !== 'none')]"
    )
    assert (luminance(paper) > 0.5) == (scheme == "light")
    assert len(inks) > 50
    for ink in set(inks):
        low, high = sorted((luminance(paper), luminance(ink)))
        assert (high + 0.05) / (low + 0.05) > 2.0, ink


def luminance(colour: str) -> float:
    """Return the relative luminance of "rgb(r, g, b)"."""
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", PAGES)
def test_a_printed_page_is_unfolded_and_as_wide_as_its_paper(browser, request, tmp_path, name):
    """A4 less its margins is 718 px wide; a browser shrinks the page if anything is wider."""
    show_as(browser, 718, media="print", scheme="dark")
    open_page(browser, request.getfixturevalue(name).page, tmp_path)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 718
    hidden = browser.execute_script(
        "return [...document.querySelectorAll('details:not(.unprinted) > :not(summary)')]"
        ".filter((e) => e.getBoundingClientRect().height === 0).length"
    )
    assert hidden == 0
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert luminance(paper) == 1.0  # paper is white, whatever the system's colours


def test_keyboard_and_screen_reader_find_their_way(browser, full, tmp_path):
    open_page(browser, full.page, tmp_path)
    missing = browser.execute_script(
        "const named = (e) => e.getAttribute('aria-label') || e.getAttribute('aria-labelledby');"
        "return [...document.querySelectorAll('figure > svg, section, [role=region]')]"
        ".filter((e) => !named(e)).length"
    )
    assert missing == 0
    levels = [int(h.tag_name[1]) for h in browser.find_elements("css selector", "h1, h2, h3")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
