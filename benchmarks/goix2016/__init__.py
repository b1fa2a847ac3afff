"""The benchmark of Goix (2016), run again: three detectors, twelve datasets, two settings.

paper           what the paper prints and claims, and EM and MV as the authors' code computed them
study           what is measured in every cell
seed_tables     measures by dataset, seed and detector, and their means over seeds
tables          tables in the paper's layout
agreement       how often a verdict agrees with labels, and the cost of following it
summary         agreement and regret with intervals, beside the paper's and constant verdicts
reproduction    how close the paper's preset comes to the printed tables
curves          pictures of the averaged curves
pages           every page of this folder
"""
