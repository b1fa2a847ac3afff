"""The pictures of README and docs: level sets, screens, the report in three forms, a notebook cell.

    python -m benchmarks.pictures

Needs Chromium with its driver, and the dataset wilt (`ODDRANK_DATA`).
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any

from benchmarks.datasets import load

IMAGES = Path(__file__).parents[1] / "docs" / "images"
TERMINAL = """<meta charset="utf-8"><style>
body { margin: 0; background: #101418; }
pre { margin: 0; padding: 18px 22px; display: inline-block; color: #e6e9ec;
  font: 15px/1.35 "DejaVu Sans Mono", monospace; }
b { color: #fff; } i { color: #8fb8d8; font-style: normal; }</style><pre>%s</pre>"""
NOTEBOOK = """<meta charset="utf-8"><style>
body { margin: 0; background: #fff; color: #111; font: 14px/1.5 sans-serif; }
main { padding: 16px 24px; display: inline-block; max-width: 860px; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 4px 10px; text-align: right; }
tbody tr:nth-child(odd) { background: #f5f5f5; }
code { display: block; background: #f7f7f7; border: 1px solid #ddd; padding: 8px 12px;
  margin-bottom: 12px; }</style><main><code>ranking</code>%s</main>"""


def main() -> None:
    """Make every picture."""
    _level_sets(IMAGES / "level_sets.png")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "wilt.csv"
        load("wilt").frame().to_csv(table, index=False)
        for columns in (80, 120):
            words = ("rank", "wilt.csv", "--label", "anomaly", "--scores", "odd.csv")
            words = (*words, "--html", "report.html") if columns == 80 else (*words, "--details")
            text = _oddrank(*words, folder=folder, columns=columns)
            _screen(f"$ oddrank {' '.join(words)}\n{text}", IMAGES / f"screen_{columns}.png")
        page = (Path(folder) / "report.html").read_text(encoding="utf-8")
        _shot(page, IMAGES / "report_light.png", width=1280, height=1500)
        _shot(page, IMAGES / "report_dark.png", width=1280, height=1500, scheme="dark")
        _shot(page, IMAGES / "report_narrow.png", width=390, height=1800)
    _shot(NOTEBOOK % _notebook(), IMAGES / "notebook.png", width=900, height=300, whole=True)


def _oddrank(*words: str, folder: str, columns: int = 80) -> str:
    """Run a command and return what a terminal would show, without progress."""
    found = subprocess.run(
        [sys.executable, "-m", "oddrank.cli", *words], cwd=folder, text=True, check=True,
        capture_output=True, env={**os.environ, "COLUMNS": str(columns)},
    )  # fmt: skip
    notes = [line for line in found.stderr.splitlines() if not line.endswith("…")]
    before = [line for line in notes if not line.startswith("Wrote")]
    after = [line for line in notes if line.startswith("Wrote")]
    return "\n".join([*before, "", found.stdout, *after])


def _level_sets(path: Path) -> None:
    import matplotlib.pyplot as plt
    from sklearn.ensemble import IsolationForest
    from sklearn.mixture import GaussianMixture

    from oddrank import LevelSetDisplay
    from oddrank.io import make_known_density

    rows = make_known_density("banana", 2000, 2, random_state=0).X
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    for axis, detector in zip(axes, (IsolationForest(), GaussianMixture(4)), strict=True):
        LevelSetDisplay.from_estimator(detector, rows, random_state=0, ax=axis)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _notebook() -> str:
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import IsolationForest
    from sklearn.mixture import GaussianMixture
    from sklearn.neighbors import LocalOutlierFactor
    from sklearn.svm import OneClassSVM

    from oddrank import rank_detectors

    pool = {"forest": IsolationForest(), "svm": OneClassSVM(nu=0.1),
            "lof": LocalOutlierFactor(novelty=True), "mixture": GaussianMixture(2)}  # fmt: skip
    return rank_detectors(pool, load_breast_cancer().data, random_state=0)._repr_html_()


def _screen(text: str, path: Path) -> None:
    command, _, rest = text.partition("\n")
    _shot(TERMINAL % f"<i>{escape(command)}</i>\n{escape(rest)}", path, width=1200, whole=True)


def _shot(
    page: str, path: Path, *, width: int, height: int = 300, scheme: str = "light",
    whole: bool = False,
) -> None:  # fmt: skip
    """Take a picture of a page: its upper part or, with `whole`, what it holds."""
    browser = _browser()
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as file:
            file.write(page)
            file.flush()
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            _size(browser, width, height)
            browser.get(f"file://{file.name}")
            if whole:
                box = browser.execute_script(
                    "const b = document.body.querySelector('pre, main').getBoundingClientRect();"
                    "return [b.width, b.height]"
                )
                _size(browser, *(int(side) + 1 for side in box))
            shot = browser.execute_cdp_cmd("Page.captureScreenshot", {})
            path.write_bytes(base64.b64decode(shot["data"]))
    finally:
        browser.quit()


def _size(browser: Any, width: int, height: int) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )


def _browser() -> Any:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(argument)
    driver = Service(shutil.which("chromedriver"))
    return webdriver.Chrome(options=options, service=driver)


if __name__ == "__main__":
    main()
