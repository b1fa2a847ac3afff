"""The paper's benchmark, and users' own: cells that run once, rows that stay, tables made of rows.

======================  ======================================================================
`BenchmarkSpec`         which datasets, settings, detectors, presets and seeds
`load_spec`             a specification from a TOML file, or the paper's own ("goix2016")
`run_benchmark`         run what is missing, and store each row as it comes
`read_rows`             the stored rows
`results_table`         measures per dataset and detector, over seeds
`count_pairs`           how often a label-free verdict agrees with the labelled one
`printed_table`         what the paper prints
======================  ======================================================================
"""

from oddrank.benchmark.agreement import (
    PairCounts,
    constant_order_counts,
    count_pairs,
    exact_orders,
    regret,
)
from oddrank.benchmark.printed_tables import CLAIMED_COUNTS, printed_table
from oddrank.benchmark.run import run_benchmark
from oddrank.benchmark.specification import BenchmarkSpec, load_spec
from oddrank.benchmark.store import read_rows
from oddrank.benchmark.tables import ResultCell, markdown_table, results_table

__all__ = [
    "CLAIMED_COUNTS",
    "BenchmarkSpec",
    "PairCounts",
    "ResultCell",
    "constant_order_counts",
    "count_pairs",
    "exact_orders",
    "load_spec",
    "markdown_table",
    "printed_table",
    "read_rows",
    "regret",
    "results_table",
    "run_benchmark",
]
