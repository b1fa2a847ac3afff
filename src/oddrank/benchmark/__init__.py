"""The paper's benchmark, and users' own: cells that run once, rows that stay, tables made of rows.

======================  ======================================================================
`BenchmarkSpec`         which datasets, settings, detectors, presets and seeds
`load_spec`             a specification from a TOML file, or the paper's own ("goix2016")
`run_benchmark`         run what is missing, and store each row as it comes
`read_rows`             the stored rows, packed or not
`results_table`         measures per dataset and detector, over seeds
`count_pairs`           how often a label-free verdict agrees with the labelled one
`regret`                what following a verdict loses
`summarise_agreement`   both with intervals over seeds, beside the paper's and constant verdicts
`reproduce`             how close preset `paper` comes to the printed tables
`printed_table`         what the paper prints
`write_figures`         EM and MV curves of every dataset and setting
`write_pages`           everything that can be made from rows, in one folder
======================  ======================================================================
"""

from oddrank.benchmark.agreement import (
    PairCounts,
    constant_order_counts,
    count_pairs,
    exact_orders,
    regret,
)
from oddrank.benchmark.agreement_summary import AgreementSummary, summarise_agreement
from oddrank.benchmark.figures import write_figures
from oddrank.benchmark.pages import write_pages
from oddrank.benchmark.printed_tables import CLAIMED_COUNTS, CLAIMED_EXACT_ORDERS, printed_table
from oddrank.benchmark.reproduction import Reproduction, reproduce
from oddrank.benchmark.run import run_benchmark
from oddrank.benchmark.specification import BenchmarkSpec, load_spec
from oddrank.benchmark.store import read_rows
from oddrank.benchmark.tables import ResultCell, markdown_table, results_table

__all__ = [
    "CLAIMED_COUNTS",
    "CLAIMED_EXACT_ORDERS",
    "AgreementSummary",
    "BenchmarkSpec",
    "PairCounts",
    "Reproduction",
    "ResultCell",
    "constant_order_counts",
    "count_pairs",
    "exact_orders",
    "load_spec",
    "markdown_table",
    "printed_table",
    "read_rows",
    "regret",
    "reproduce",
    "results_table",
    "run_benchmark",
    "summarise_agreement",
    "write_figures",
    "write_pages",
]
