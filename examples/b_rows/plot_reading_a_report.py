"""
Reading a report
================

``ranking.to_html("report.html")`` writes one page that needs nothing but itself. ``oddrank rank
table.csv --html report.html`` writes the same. This example makes one, and shows with what each
part of it was drawn.
"""

import tempfile
from pathlib import Path

from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

from oddrank import ExcessMassDisplay, MassVolumeDisplay, datasets, rank_detectors

X = datasets.make_known_density("mixture", 1500, 2, random_state=0).X
detectors = {
    "density": KernelDensity(bandwidth=0.3),
    "lof": LocalOutlierFactor(novelty=True),
    "gaussian": GaussianMixture(),
}
ranking = rank_detectors(detectors, X, random_state=0)
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "report.html"
    ranking.to_html(page, title="Three detectors")
    print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, no network needed")

# %%
# **1. The verdict** comes first: what to use, how clear that is, and how often labels agreed
# with such a lead.

print(ranking.verdict)

# %%
# **2. The ranking** with intervals and letters.

ranking.plot()

# %%
# **3. The curves.** Up to 8 features the page shows what the criteria of the paper measure. A
# lower mass-volume curve is better: the detector needs less space for the same share of the
# rows.

MassVolumeDisplay.from_evaluations(ranking)

# %%
# A higher excess-mass curve is better.

ExcessMassDisplay.from_evaluations(ranking)

# %%
# **4. The checks.** Those that fail come with what to do about them.

for check in ranking.checks:
    print(check.diagnostic)
