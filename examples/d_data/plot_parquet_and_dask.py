"""
A table larger than memory: Parquet files and Dask
==================================================

A folder of Parquet files is one table, and oddrank need not hold it. A ranking uses a random
sample of its rows. :func:`oddrank.score_large_table` then scores all rows, chunk by chunk, and
keeps the oddest.
"""

import tempfile
from pathlib import Path

import dask.dataframe
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture

from oddrank import rank_detectors, score_large_table

random = np.random.default_rng(0)
folder = tempfile.TemporaryDirectory()
for number in range(3):
    month = pd.DataFrame(random.normal(size=(4000, 3)), columns=["speed", "load", "heat"])
    month.iloc[::2] += 4.0
    month.iloc[7:17] += random.normal(12.0, 1.0, size=(10, 1))
    month.to_parquet(Path(folder.name) / f"month_{number}.parquet", row_group_size=1500)

detectors = {"forest": IsolationForest(n_estimators=50), "mixture": GaussianMixture(2)}
ranking = rank_detectors(detectors, folder.name, sample=2000, random_state=0)
print(ranking.setting)
print(ranking.verdict)

# %%
# All rows are scored by the winner. Ten rows of every month were moved, and they are the oddest.

found = score_large_table(ranking.committee, folder.name, n_oddest=40)
moved = [4000 * month + row for month in range(3) for row in range(7, 17)]
print(f"{np.isin(found.numbers[:30], moved).sum()} of the 30 oddest rows were moved")
print(found.frame().head(3).round(4).to_string(index=False))

# %%
# The p-values of this table's own rows are not small: the model compares a row with rows of the
# sample, and the sample holds odd rows, too. Go by the order. In a table of tomorrow, flags work.

# %%
# A Dask collection gives the same. Its chunks are scored where they are: here in threads, or on
# the workers of a cluster if there is a Dask client.

frame = dask.dataframe.read_parquet(folder.name)
on_dask = score_large_table(ranking.committee, frame, n_oddest=40)
print("the same rows:", np.array_equal(found.numbers, on_dask.numbers))

figure, axis = plt.subplots()
axis.stem(found.numbers, found.oddness)
axis.set(xlabel="row of the folder", ylabel="oddness of the 40 oddest rows")
figure.tight_layout()
folder.cleanup()
