"""Whose verdict holds? All judges on datasets with labels, from stored rows."""

from oddrank.benchmark.verdict.calibration import calibrate
from oddrank.benchmark.verdict.figures import draw_figures
from oddrank.benchmark.verdict.page import calibration_page, table_page
from oddrank.benchmark.verdict.run_pool import run_pool
from oddrank.benchmark.verdict.table import verdict_table

__all__ = [
    "calibrate",
    "calibration_page",
    "draw_figures",
    "run_pool",
    "table_page",
    "verdict_table",
]
