"""Whose verdict holds? All judges on datasets with labels, from stored rows."""

from oddrank.benchmark.verdict.run_pool import run_pool

__all__ = ["run_pool"]
