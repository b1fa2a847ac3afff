"""Tasks run here, on all cores or on a cluster; checkpoints, progress. It knows no statistics."""

from oddrank.execution.checkpoint import NamedArrays, remembered_root
from oddrank.execution.code_identity import code_of
from oddrank.execution.interrupts import hearing_interrupts
from oddrank.execution.run import (
    Workers,
    each_result,
    finished_tasks,
    progress_bar,
    run_tasks,
    single_threaded,
)

__all__ = [
    "NamedArrays",
    "Workers",
    "code_of",
    "each_result",
    "finished_tasks",
    "hearing_interrupts",
    "progress_bar",
    "remembered_root",
    "run_tasks",
    "single_threaded",
]
