"""The paper's benchmark, and users' own: cells that run once, rows that stay, tables made of rows.

======================  ======================================================================
`load_spec`             a specification from a TOML file, or one of ours: "goix2016", "verdict"
`run_benchmark`         run what is missing, and store each row as it comes
`read_rows`             the stored rows, packed or not
`results_table`         measures per dataset and detector, over seeds
`count_pairs`           how often a label-free verdict agrees with the labelled one
`exact_orders`          on how many datasets it does so for every pair
`regret`                what following a verdict loses
`summarise_agreement`   both with intervals over seeds, beside the paper's and constant verdicts
`printed_table`         what the paper prints
`verdict_table`         how often every judge is right, and the cost of following it
======================  ======================================================================

`benchmarks/pages` makes the pages that this repository keeps about its own runs.

Guide: :doc:`/benchmark`.

>>> from oddrank import benchmark
>>> benchmark.load_spec("goix2016").settings
('novelty', 'unsupervised')
"""

from oddrank.benchmark.agreement import (
    PairCounts,
    constant_order_counts,
    count_pairs,
    exact_orders,
    regret,
)
from oddrank.benchmark.agreement_summary import AgreementSummary, summarise_agreement
from oddrank.benchmark.goix2016 import printed_table
from oddrank.benchmark.run import run_benchmark
from oddrank.benchmark.specification import BenchmarkSpec, load_spec
from oddrank.benchmark.store import read_rows
from oddrank.benchmark.tables import ResultCell, markdown_table, results_table
from oddrank.benchmark.verdict_table import VERDICT_FIGURES, Performance, verdict_table

# isort: split
# Exported for this repository's own pages and measurements (`benchmarks/`). They are not in
# `__all__`, so the API reference leaves them out.
from oddrank.benchmark.cell_measurement import RELATIVE_LEVELS as RELATIVE_LEVELS
from oddrank.benchmark.cell_measurement import STORED_MASSES as STORED_MASSES
from oddrank.benchmark.goix2016 import SETTINGS as SETTINGS
from oddrank.benchmark.goix2016 import in_printed_order as in_printed_order
from oddrank.benchmark.seed_tables import chosen_rows as chosen_rows
from oddrank.benchmark.seed_tables import seed_results as seed_results
from oddrank.benchmark.seed_tables import shared_draws as shared_draws
from oddrank.benchmark.store import in_order as in_order
from oddrank.benchmark.store import pack_rows as pack_rows
from oddrank.benchmark.tables import as_printed as as_printed
from oddrank.benchmark.verdict import TWIN as TWIN
from oddrank.benchmark.verdict_table import family_of as family_of
from oddrank.benchmark.verdict_table import told as told
from oddrank.benchmark.verdict_table import usable_rows as usable_rows

__all__ = [
    "VERDICT_FIGURES",
    "AgreementSummary",
    "BenchmarkSpec",
    "PairCounts",
    "Performance",
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
    "summarise_agreement",
    "verdict_table",
]
