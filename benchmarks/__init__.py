"""oddrank's benchmarks: a project beside the package. It imports oddrank, never the reverse.

`python -m benchmarks` lists what there is.

datasets        the labelled datasets of both studies, a file each, with their downloads
prepare         what the paper's authors did between loading a dataset and fitting a detector
rows            stored results, one JSON line per cell
run             run the cells of a study that have no row yet
goix2016        the paper's benchmark, run again: study, tables, pages
verdict         whose verdict holds on 27 datasets: study, tables, pages, calibration
answers         what ten, twenty and forty answers are worth: study, page
measurements    speed and accuracy, side by side in one run
"""
