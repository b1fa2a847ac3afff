"""The counts of the fault suite, printed at its end."""

from tests.faults.counting import COUNTS


def pytest_terminal_summary(terminalreporter):
    if not COUNTS:
        return
    terminalreporter.section("faults survived")
    for (kind, what), number in sorted(COUNTS.items()):
        terminalreporter.write_line(f"{number:>7,}  {kind}: {what}")
    total = sum(COUNTS.values())
    terminalreporter.write_line(f"{total:>7,}  in all; nothing stale, nothing lost, nothing let in")
