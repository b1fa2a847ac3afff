"""
Any file to a verdict
=====================

``oddrank.io.read_table`` reads the files that people have: separators, decimal
commas, currency signs, gaps, identifiers. It says how it understood the file,
and what it skipped.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture

from oddrank import rank_detectors
from oddrank.io import read_table

random = np.random.default_rng(0)
lines = ["order_no;amount;items;country;comment"]
for number in range(1, 801):
    items = random.integers(1, 30)
    amount = f"{items * random.normal(20, 2):,.2f}".replace(",", " ").replace(".", ",")
    lines.append(f"{number};{amount} €;{items};{random.choice(['DE', 'FR'])};note {number}")
lines[400] = "400;9 999,00 €;2;DE;note 400"

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "sales.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    table = read_table(path)
print(table)

# %%
# ``table.X`` goes straight into a ranking.

ranking = rank_detectors(
    {"forest": IsolationForest(), "mixture": GaussianMixture(2)},
    table.X,
    preprocess="auto",
    random_state=0,
)
odd = ranking.odd_rows()
row = int(odd.order[0])
print(f"row {row}: {odd.reasons(row)}")

figure, axis = plt.subplots()
axis.scatter(table.X["items"], table.X["amount"], s=8, alpha=0.5)
axis.scatter(*table.X.loc[[row], ["items", "amount"]].to_numpy().T, s=80, marker="s",
             facecolors="none", edgecolors="#d55e00", label=f"row {row}")  # fmt: skip
axis.set(xlabel="items", ylabel="amount", yscale="log")
axis.legend()
figure.tight_layout()
