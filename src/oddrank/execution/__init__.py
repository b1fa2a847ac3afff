"""Tasks run here, on all cores or on a cluster; checkpoints, progress. It knows no statistics."""

from oddrank.execution.checkpoint import NamedArrays, remembered_root
from oddrank.execution.run import Workers, progress_bar, run_tasks, single_threaded

__all__ = [
    "NamedArrays",
    "Workers",
    "progress_bar",
    "remembered_root",
    "run_tasks",
    "single_threaded",
]
