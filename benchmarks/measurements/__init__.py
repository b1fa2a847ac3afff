"""Speed and accuracy: everything is a ratio of things measured side by side in one run.

Every module has a `report()` that returns its table; `python -m benchmarks measure NAME` prints it.
"""

NAMES = (
    "areas_speed",
    "own_time",
    "one_ranking",
    "small_tables",
    "sobol_gain",
    "algorithm_1",
    "parallel",
    "svm_scores",
    "volumes",
    "full_dimension",
    "tuning",
    "reading",
    "adult_columns",
    "twins",
    "scoring",
    "steady_rows",
    "planted_rows",
    "answered_mixed_tables",
    "telling",
    "huge_tables",
)
