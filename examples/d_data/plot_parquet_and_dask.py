"""
A table larger than memory: Parquet files and a Dask cluster
============================================================

A folder of Parquet files is one table, and oddrank need not hold it. Detectors are fitted on a
sample; all rows are scored chunk by chunk, and only counts are kept. With ``client=`` chunks are
scored on a Dask cluster; here the cluster is in this process. The result does not depend on where
rows are scored, or on how they are cut into chunks. In the list a star marks the rows that stand
out.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from distributed import Client
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture

from oddrank import rank_detectors

random = np.random.default_rng(0)
months = [pd.DataFrame(random.normal(size=(4000, 3)), columns=list("abc")) for _ in range(3)]
for month in months:
    month.iloc[::2] += 4.0
    month.iloc[7] = 30.0

detectors = {"forest": IsolationForest(n_estimators=50), "mixture": GaussianMixture(2)}
options = {"sample": 2000, "random_state": 0}
with tempfile.TemporaryDirectory() as folder:
    for number, month in enumerate(months):
        month.to_parquet(Path(folder) / f"month_{number}.parquet", row_group_size=1500)
    from_files = rank_detectors(detectors, folder, **options)
    with Client(processes=False, n_workers=1, dashboard_address=None) as client:
        on_cluster = rank_detectors(detectors, folder, client=client, **options)
    odd = from_files.odd_rows(n_explained=3)
print(odd)

# %%
# The same rows in memory, in one piece, give the same figures.
in_memory = rank_detectors(detectors, pd.concat(months, ignore_index=True), **options)
for name in in_memory.order:
    scores = [each.judgement.scores[name].value for each in (in_memory, from_files, on_cluster)]
    print(
        f"{name:8} {scores[0]:.4f}, from files and on a cluster the same: {len(set(scores)) == 1}"
    )

# %%
display = from_files.plot()
