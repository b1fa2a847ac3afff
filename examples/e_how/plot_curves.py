"""
From scores to the two curves
=============================

Both criteria of the paper need nothing but scores: those of the rows, and those of points
spread over the box around them.
"""

import matplotlib.pyplot as plt
import numpy as np

from oddrank import excess_mass_curve, level_sets, mass_volume_curve

random = np.random.default_rng(0)
X = random.normal(size=(5000, 2))
points = random.uniform(-5, 5, size=(50_000, 2))
scores = {
    "density": lambda rows: -(rows**2).sum(axis=1),
    "off centre": lambda rows: -((rows - 0.7) ** 2).sum(axis=1),
}
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
masses, levels_t = np.linspace(0.02, 0.999, 300), np.linspace(0, 0.12, 300)
for name, score in scores.items():
    levels = level_sets(score(X), score(points), log_volume=2 * np.log(10.0))
    volume, excess = mass_volume_curve(levels), excess_mass_curve(levels)
    axes[0].plot(masses, volume(masses), label=name)
    axes[1].plot(levels_t, excess(levels_t), label=name)
    print(f"{name:11} MV {volume.area(0.9, 0.999):.3f}  EM {excess.area(0.9):.5f}")
axes[0].axvspan(0.9, 0.999, color="#999999", alpha=0.3)
axes[0].set(xlabel="mass", ylabel="volume", title="mass-volume: lower is better")
axes[1].axhspan(0.9, 1.0, color="#999999", alpha=0.3)
axes[1].set(xlabel="t", ylabel="EM(t)", title="excess mass: higher is better")
axes[0].legend()
figure.tight_layout()

# %%
# The grey stripes show the parts that the criteria measure. For a standard Gaussian in the
# plane scored by its density the truth is known: MV is 2.0254 and EM 0.0030755.
