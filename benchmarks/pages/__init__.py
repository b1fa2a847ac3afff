"""The pages of `benchmarks/goix2016` and `benchmarks/verdict`, made from stored rows only.

`python -m benchmarks.pages goix2016` and `python -m benchmarks.pages verdict` write them again.
"""
