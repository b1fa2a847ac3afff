"""Tasks run here, on all cores or on a cluster; checkpoints, progress. It knows no statistics."""

from oddrank.execution.checkpoint import remembered_root
from oddrank.execution.code_identity import code_of
from oddrank.execution.interrupts import hearing_interrupts
from oddrank.execution.run import (
    Workers,
    finished_tasks,
    single_threaded,
)

__all__ = [
    "Workers",
    "code_of",
    "finished_tasks",
    "hearing_interrupts",
    "remembered_root",
    "single_threaded",
]
