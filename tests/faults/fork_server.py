"""Commands in processes that can be killed at any moment, started in no time.

A fresh process imports everything once and uses nothing of it; every command is a fork of it, as a
user's own process would be right after its imports. Run as a script: one JSON line per question.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


class ForkServer:
    """Starts commands and tells how they ended."""

    def __init__(self) -> None:
        words = [sys.executable, "-m", "tests.faults.fork_server"]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._ask({}) == "ready"

    def _ask(self, question):
        print(json.dumps(question), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def start(self, words, folder: Path) -> int:
        """Start a command in a folder; what it prints goes into files there."""
        return self._ask({"words": [str(word) for word in words], "folder": str(folder)})

    def wait(self, pid: int) -> int:
        """Return how a command ended: its exit code, or minus the number of a signal."""
        return os.waitstatus_to_exitcode(self._ask({"wait": pid}))

    def run(self, words, folder: Path) -> tuple[int, str]:
        """Run a command to its end; return its exit code and what it printed."""
        code = self.wait(self.start(words, folder))
        return code, (folder / "out").read_text(encoding="utf-8")

    def timed(self, words, folder: Path) -> tuple[float, str]:
        """Return how long a command takes, and what it prints."""
        start = time.monotonic()
        code, out = self.run(words, folder)
        assert code in (0, 2), (folder / "err").read_text(encoding="utf-8")
        return time.monotonic() - start, out

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def _run(words: list[str], folder: str) -> None:
    os.chdir(folder)
    for number, name in ((1, "out"), (2, "err")):
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(file, number)
    from oddrank.cli import main

    sys.argv = ["oddrank", *words]
    code = 70
    try:
        code = main(words)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _serve() -> None:
    import oddrank.cli.application
    import oddrank.cli.rank_outputs
    import oddrank.inspection
    import oddrank.search  # noqa: F401

    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        question = json.loads(line)
        answer = "ready"
        if "wait" in question:
            answer = os.waitpid(question["wait"], 0)[1]
        elif "words" in question:
            answer = os.fork()
            if answer == 0:
                _run(question["words"], question["folder"])
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
