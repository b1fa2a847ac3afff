"""
Data with a known truth
=======================

:func:`oddrank.io.make_known_density` draws rows from densities with a closed form. The
density itself is the best score there can be, so you can see how near a detector comes.
``load_embedded`` has small tables with labels.
"""

import matplotlib.pyplot as plt
import numpy as np

from oddrank import datasets

kinds = ("gaussian", "mixture", "banana", "shell")
figure, axes = plt.subplots(1, 4, figsize=(11, 3))
for axis, kind in zip(axes, kinds, strict=True):
    sample = datasets.make_known_density(kind, 1000, 2, random_state=0)
    order = np.argsort(sample.log_density(sample.X))
    axis.scatter(*sample.X[order].T, c=sample.log_density(sample.X)[order], s=5)
    axis.set(title=kind, xticks=[], yticks=[])
figure.tight_layout()

# %%
wine = datasets.load_embedded("wine")
print(wine)
