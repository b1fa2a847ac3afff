"""Whose verdict holds? Thirteen detectors, and twins of one, on 27 datasets with labels.

study           what is measured: a pool is ranked without labels, then compared with labels
judges          how often every judge and baseline is right, and the cost of following it
calibration     how often a lead is right; makes what the package ships in verdict_calibration.json
pages           every page of this folder
"""
