"""
Pipelines on a raw frame: categories, dates and gaps
====================================================

Most tables are not all numbers. There are two ways to rank on them: one encoder for all
detectors, or pipelines that each encode the columns in their own way. Pipelines can then be
compared with each other.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest
from sklearn.impute import SimpleImputer
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from oddrank import TableEncoder, rank_detectors

random = np.random.default_rng(0)
n = 1500
country = random.choice(["DE", "FR", "US"], n, p=[0.6, 0.3, 0.1])
frame = pd.DataFrame(
    {
        "amount": np.exp(random.normal(3.0 + (country == "DE"), 0.3)),
        "country": country,
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 10**7, n), "s"),
    }
)
frame.loc[random.random(n) < 0.05, "amount"] = np.nan
print(frame.head(3))

# %%
# ``preprocess="auto"`` encodes columns by their types, in every fold, from training rows alone.

ranking = rank_detectors(
    {"forest": IsolationForest(), "mixture": GaussianMixture(3)},
    frame,
    preprocess="auto",
    random_state=0,
)
print(ranking)
print(TableEncoder().fit(frame).get_feature_names_out())

# %%
# Does it help to look at the country? Two pipelines answer: one is blind for it.

amount = (SimpleImputer(), ["amount"])
level = (OneHotEncoder(handle_unknown="ignore"), ["country"])
pipelines = {
    "blind": make_pipeline(make_column_transformer(amount), GaussianMixture(3)),
    "seeing": make_pipeline(make_column_transformer(amount, level), GaussianMixture(3)),
}
compared = rank_detectors(pipelines, frame[["amount", "country"]], random_state=0)
print(compared.verdict)
compared.plot()

# %%
# The amounts explain why: what is usual in Germany is not usual elsewhere.

figure, axis = plt.subplots()
for name, rows in frame.groupby("country"):
    axis.hist(rows["amount"].dropna(), bins=30, alpha=0.6, label=name)
axis.set(xlabel="amount", ylabel="rows")
axis.legend()
figure.tight_layout()
