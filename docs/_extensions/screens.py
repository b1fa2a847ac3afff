"""Screens of the command line on the pages: run when the site is built, so they are never stale."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import oddrank

DOCS = Path(__file__).parents[1]
SCREENS = DOCS / "project" / "screens"
COMMANDS = {
    "rank": "rank payments.csv --html report.html --scores rows.csv --save model.skops --quiet",
    "score": "score model.skops tomorrow.csv --quiet",
}


def make_screens(_app):
    """Run the commands of *Start here*, unless the code is older than their screens."""
    sources = [*Path(oddrank.__file__).parent.rglob("*.py"), *DOCS.glob("*.csv"), Path(__file__)]
    newest = max(path.stat().st_mtime for path in sources)
    files = [SCREENS / f"{name}.txt" for name in COMMANDS]
    if all(path.exists() and path.stat().st_mtime > newest for path in files):
        return
    SCREENS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("payments.csv", "tomorrow.csv"):
            (Path(folder) / name).write_bytes((DOCS / name).read_bytes())
        for name, command in COMMANDS.items():
            _write(name, _run(command, folder))


def _run(command, folder):
    code = "import sys; from oddrank.cli import main; sys.exit(main())"
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code, *command.split()],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"oddrank {command} failed: {done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


def _write(name, text):
    (SCREENS / f"{name}.txt").write_text(text + "\n", encoding="utf-8")


def setup(app):
    app.connect("builder-inited", make_screens)
