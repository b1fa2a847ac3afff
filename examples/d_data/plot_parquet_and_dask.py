"""
Parquet files and a Dask cluster
================================

A folder of Parquet files is one table. With ``client=`` the fits run on a Dask cluster; here
the cluster is in this process. The result does not depend on where the work is done, to the
last bit.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from distributed import Client
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture

from oddrank import datasets, rank_detectors

random = np.random.default_rng(0)
with tempfile.TemporaryDirectory() as folder:
    for month in range(3):
        rows = pd.DataFrame(random.normal(size=(400, 4)), columns=list("abcd"))
        rows.to_parquet(Path(folder) / f"month_{month}.parquet")
    table = datasets.read_table(folder)
print(table.X.shape)

# %%
detectors = {"forest": IsolationForest(n_estimators=50), "gaussian": GaussianMixture()}
with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
    on_cluster = rank_detectors(detectors, table.X, client=client, random_state=0)
here = rank_detectors(detectors, table.X, random_state=0)
for name in here.order:
    same = here.judgement.scores[name].value == on_cluster.judgement.scores[name].value
    print(f"{name:9} the same on the cluster: {same}")

# %%
display = on_cluster.plot()
