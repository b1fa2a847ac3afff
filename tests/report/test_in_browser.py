"""The page in a real browser: nothing asked for, nothing complained of, everything works."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from oddrank.report import html_page, summarise_tuning, tuning_page
from oddrank.report.summary import JudgementSummary
from tests.report.conftest import HOSTILE

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Any]:
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
        "--disable-extensions", "--window-size=1200,900", f"--user-data-dir={folder}",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def open_page(browser: Any, page: str, folder: Path) -> None:
    """Open the page, and fail if it complains or asks for anything but itself."""
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
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


def test_curves_are_drawn_and_can_be_read(browser, full_summary, tmp_path):
    open_page(browser, html_page(full_summary), tmp_path)
    figures = browser.find_elements("css selector", "figure.chart")
    assert len(figures) == 2
    for figure in figures:
        curves = figure.find_elements("css selector", "path.curve")
        assert len(curves) == 3
        lengths = [
            browser.execute_script("return arguments[0].getTotalLength()", c) for c in curves
        ]
        assert min(lengths) > 100
        svg = figure.find_element("css selector", "svg")
        readings = figure.find_element("css selector", ".readings")
        assert readings.text == ""
        browser.execute_script("arguments[0].focus()", svg)
        browser.switch_to.active_element.send_keys("\ue014" * 3)  # the right arrow key
        assert "mixture" in readings.text
        browser.execute_script(
            "const box = arguments[0].getBoundingClientRect();"
            "arguments[0].dispatchEvent(new PointerEvent('pointermove',"
            "{clientX: box.left + box.width / 2, clientY: box.top + 20}));",
            svg,
        )
        assert (
            figure.find_element("css selector", ".cursor").get_attribute("visibility") == "visible"
        )
    assert browser.get_log("browser") == []


def test_curves_can_be_hidden(browser, full_summary, tmp_path):
    open_page(browser, html_page(full_summary), tmp_path)
    button = browser.find_element("css selector", ".legend button")
    group = browser.find_element("css selector", ".chart g[data-series='0']")
    assert group.is_displayed()
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert not group.is_displayed()
    button.click()
    assert group.is_displayed()


def column(browser: Any, table: str, number: int) -> list[str]:
    cells = browser.find_elements("css selector", f"#{table} tbody tr > :nth-child({number})")
    return [cell.text for cell in cells]


def test_tables_sort(browser, full_summary, tmp_path):
    open_page(browser, html_page(full_summary), tmp_path)
    names = column(browser, "ranking", 2)
    header = browser.find_element("css selector", "#ranking th:nth-child(2)")
    header.find_element("css selector", "button").click()
    assert column(browser, "ranking", 2) == sorted(names)
    assert header.get_attribute("aria-sort") == "ascending"
    header.find_element("css selector", "button").click()
    assert column(browser, "ranking", 2) == sorted(names, reverse=True)
    browser.find_element("css selector", "#ranking th:nth-child(3) button").click()
    values = column(browser, "ranking", 3)
    assert values[-1] == "failed"  # what has no number comes last
    assert column(browser, "ranking", 2)[-1] == "broken"
    assert [float(value) for value in values[:-1]] == sorted(map(float, values[:-1]))
    browser.find_element("css selector", "#rows th:nth-child(1) button").click()
    rows = column(browser, "rows", 1)
    assert rows == sorted(rows)


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_that_matters_is_cut(browser, full_summary, tmp_path, width):
    """The tables of the ranking and of rows fit; labels of axes do not touch each other."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        # a telephone draws scroll bars over the page
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    open_page(browser, html_page(full_summary), tmp_path)
    cut = browser.execute_script(
        "return ['#ranking', '#rows'].filter((id) => {"
        " const box = document.querySelector(id).parentElement;"
        " return box.scrollWidth > box.clientWidth + 1; })"
    )
    touching = browser.execute_script(
        "return [...document.querySelectorAll('.chart > svg')].flatMap((svg) => {"
        " const boxes = [...svg.querySelectorAll('text')].map((e) => e.getBoundingClientRect())"
        "  .filter((b) => b.width > 0);"
        " return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>"
        "  a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2"
        "  && b.top < a.bottom - 2)); }).length"
    )
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert cut == []
    assert touching == 0


@pytest.mark.parametrize("width", [360, 1200])
def test_hostile_names_show_as_text(browser, hostile_summary, tmp_path, width):
    browser.set_window_size(width, 900)
    open_page(browser, html_page(hostile_summary), tmp_path)
    assert not browser.execute_script("return window.hacked === true")
    assert browser.find_element("css selector", "h1").text == HOSTILE[0]
    shown = browser.execute_script("return document.body.textContent")
    for name in HOSTILE:
        assert name in shown
    # Wide tables scroll in their own boxes; the page itself does not.
    overflow = browser.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow <= 0


def test_draws_are_shown_where_there_are_no_curves(browser, drawn_summary, tmp_path):
    open_page(browser, html_page(drawn_summary), tmp_path)
    assert browser.find_elements("css selector", "figure.chart") == []
    assert len(browser.find_elements("css selector", ".strips circle")) == 3 * 8


def test_theme_follows_the_system_and_the_button(browser, full_summary, tmp_path):
    def background():
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    seen = {}
    for scheme in ("light", "dark"):
        features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
        open_page(browser, html_page(full_summary), tmp_path)
        seen[scheme] = background()
    assert seen == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}
    browser.find_element("id", "theme").click()
    assert background() == seen["light"]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert not browser.find_element("id", "theme").is_displayed()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_printing_unfolds_everything_and_repeats_heads(browser, full_summary, tmp_path):
    open_page(browser, html_page(full_summary), tmp_path)
    count = "return [document.querySelectorAll('details:not([open])').length,"
    count += " document.querySelectorAll('thead button').length]"
    before = browser.execute_script(count)
    assert min(before) > 0
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script(count) == [0, 0]
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script(count) == before


@pytest.mark.parametrize("width", [390, 1280])
def test_no_sentence_or_call_is_cut_and_no_flag_is_broken(browser, full_summary, tmp_path, width):
    advice = "Safer: the committee of a detector and another one (--save-committee FILE)."
    call = f"oddrank rank a.csv {'--drop-duplicates ' * 20}"
    told = replace(
        full_summary,
        remarks=(advice,),
        provenance=replace(full_summary.provenance, call=call),
        data=replace(
            full_summary.data, notes=tuple("x " * k + "--drop-duplicates" for k in range(30))
        ),
    )
    browser.set_window_size(width, 900)
    open_page(browser, html_page(told), tmp_path)
    browser.execute_script("document.querySelectorAll('details').forEach((e) => e.open = true)")
    cut = browser.execute_script(
        "return [...document.querySelectorAll('p, li, pre, caption, dd')]"
        ".filter((e) => e.scrollWidth > e.clientWidth + 1"
        " || e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.textContent)"
    )
    assert cut == []
    broken = browser.execute_script(
        "return [...document.querySelectorAll('.flag')].map((e) => e.getClientRects().length)"
    )
    assert len(broken) > 30
    assert set(broken) == {1}


def test_a_printed_page_is_as_wide_as_its_paper(browser, full_summary, tmp_path):
    """A4 less its margins is 718 px wide; a browser shrinks the page if anything is wider."""
    rows = tuple(
        replace(row, values=row.values * 20, deviations=row.deviations * 20)
        for row in full_summary.odd_rows
    )
    names = tuple(f"column {j}" for j in range(len(rows[0].values)))
    assert len(names) >= 40
    wide = replace(
        full_summary, odd_rows=rows, data=replace(full_summary.data, feature_names=names)
    )
    judgement = JudgementSummary(
        judge="references",
        beside_volumes=True,
        measures=("uniform", "crossed"),
        expected=("anomalies anywhere in the range of the data", "ordinary values mixed"),
        favourites=("detector 0", "detector 1"),
        detectors=tuple(f"detector {j}" for j in range(9)),
        areas=((0.9, 0.8),) * 9,
        peers=(0.7,) * 9,
    )
    paper = {"width": 718, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", paper)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    open_page(browser, html_page(replace(wide, judgements=(judgement,))), tmp_path)
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    width = browser.execute_script("return document.documentElement.scrollWidth")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert width <= 718


def test_keyboard_and_screen_reader_find_their_way(browser, full_summary, tmp_path):
    open_page(browser, html_page(full_summary), tmp_path)
    missing = browser.execute_script(
        "const named = (e) => e.textContent.trim() || e.getAttribute('aria-label')"
        " || e.getAttribute('aria-hidden') || e.closest('[aria-hidden]');"
        "return [...document.querySelectorAll('button, svg, table, section, [role=region]')]"
        ".filter((e) => e.tagName === 'TABLE' ? !e.caption && !named(e.parentElement)"
        " : e.tagName === 'SECTION' ? !e.getAttribute('aria-labelledby') : !named(e)).length"
    )
    assert missing == 0
    levels = [int(h.tag_name[1]) for h in browser.find_elements("css selector", "h1, h2, h3")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("width", [360, 1200])
def test_the_page_of_a_search(browser, hostile_search, tmp_path, width):
    browser.set_window_size(width, 900)
    summary = summarise_tuning(hostile_search, title=HOSTILE[0], call=HOSTILE[1])
    open_page(browser, tuning_page(summary), tmp_path)
    assert not browser.execute_script("return window.hacked === true")
    shown = browser.execute_script("return document.body.textContent")
    for name in HOSTILE:
        assert name in shown
    overflow = browser.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow <= 0
    dots = browser.find_elements("css selector", "figure.plot circle.dot")
    assert len(dots) >= 4  # a candidate failed, and has none
    assert len(browser.find_elements("css selector", "circle.ring")) >= 1
    assert len(browser.find_elements("css selector", "rect.normal")) > 3
    assert len(browser.find_elements("css selector", "#candidates tr.chosen")) == 1
    header = browser.find_element("css selector", "#candidates th:nth-child(3)")
    header.find_element("css selector", "button").click()
    scores = column(browser, "candidates", 3)
    assert scores[-2:] == ["unresolved"] * 2  # what has no number comes last
    numbers = [float(text) for text in scores[:-2]]
    assert numbers == sorted(numbers)
