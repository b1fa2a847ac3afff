"""
Level sets: the picture behind the idea
=======================================

text
"""

from sklearn.ensemble import IsolationForest
from oddrank import LevelSetDisplay, datasets

X = datasets.make_known_density("banana", 1000, 2, random_state=0).X
display = LevelSetDisplay.from_estimator(IsolationForest(random_state=0), X, random_state=0)
