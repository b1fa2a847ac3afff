"""Running the command as a user does, but in this process; and a table as users have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from oddrank.cli import main


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch, tmp_path) -> Callable[..., Outcome]:
    """Run `oddrank` in an empty folder, with results in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run_command(*words: object) -> Outcome:
        arguments = [str(word) for word in words]
        monkeypatch.setattr("sys.argv", ["oddrank", *arguments])
        code = main(arguments)
        captured = capsys.readouterr()
        return Outcome(code=code, out=captured.out, err=captured.err)

    return run_command


@pytest.fixture(scope="session")
def messy_csv(tmp_path_factory) -> Path:
    """A table with text columns, missing values, an id column and a label."""
    random = np.random.default_rng(0)
    n_rows = 800
    odd = random.random(n_rows) < 0.03
    width, height = random.normal(size=(2, n_rows))
    width[odd] += 6.0
    lines = ["customer_id,name,width,height,colour,fraud"]
    for i in range(n_rows):
        text = "" if i % 101 == 0 else f"{height[i]:.5f}"
        label = "yes" if odd[i] else "no"
        lines.append(f"{1000 + i},Customer {i},{width[i]:.5f},{text},red,{label}")
    path = tmp_path_factory.mktemp("tables") / "messy.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
