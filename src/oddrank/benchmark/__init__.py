"""The paper's benchmark, and users' own: cells that run once, rows that stay, tables made of rows.

======================  ======================================================================
`load_spec`             a specification from a TOML file, or one of ours: "goix2016", "verdict"
`run_benchmark`         run what is missing, and store each row as it comes
`read_rows`             the stored rows, packed or not
`results_table`         measures per dataset and detector, over seeds
`count_pairs`           how often a label-free verdict agrees with the labelled one
`regret`                what following a verdict loses
`summarise_agreement`   both with intervals over seeds, beside the paper's and constant verdicts
`printed_table`         what the paper prints
`verdict_table`         how often every judge is right, and the cost of following it
======================  ======================================================================

`benchmarks/pages` makes the pages that this repository keeps about its own runs.
"""

from oddrank.benchmark.agreement import (
    PairCounts,
    constant_order_counts,
    count_pairs,
    exact_orders,
    regret,
)
from oddrank.benchmark.agreement_summary import AgreementSummary, summarise_agreement
from oddrank.benchmark.cell_measurement import RELATIVE_LEVELS, STORED_MASSES
from oddrank.benchmark.goix2016 import (
    CLAIMED_COUNTS,
    CLAIMED_EXACT_ORDERS,
    SETTINGS,
    in_printed_order,
    printed_table,
)
from oddrank.benchmark.run import run_benchmark
from oddrank.benchmark.seed_tables import chosen_rows, seed_results, shared_draws
from oddrank.benchmark.specification import BenchmarkSpec, load_spec
from oddrank.benchmark.store import in_order, pack_rows, read_rows
from oddrank.benchmark.tables import ResultCell, as_printed, markdown_table, results_table
from oddrank.benchmark.verdict import TWIN
from oddrank.benchmark.verdict_table import (
    VERDICT_FIGURES,
    Performance,
    family_of,
    told,
    usable_rows,
    verdict_table,
)

__all__ = [
    "CLAIMED_COUNTS",
    "CLAIMED_EXACT_ORDERS",
    "RELATIVE_LEVELS",
    "SETTINGS",
    "STORED_MASSES",
    "TWIN",
    "VERDICT_FIGURES",
    "AgreementSummary",
    "BenchmarkSpec",
    "PairCounts",
    "Performance",
    "ResultCell",
    "as_printed",
    "chosen_rows",
    "constant_order_counts",
    "count_pairs",
    "exact_orders",
    "family_of",
    "in_order",
    "in_printed_order",
    "load_spec",
    "markdown_table",
    "pack_rows",
    "printed_table",
    "read_rows",
    "regret",
    "results_table",
    "run_benchmark",
    "seed_results",
    "shared_draws",
    "summarise_agreement",
    "told",
    "usable_rows",
    "verdict_table",
]
