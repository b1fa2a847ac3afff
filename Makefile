# `make` alone prints the targets.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# What `make test-lowest` runs; tests of pages and pictures hold figures of the pinned versions.
LOWEST ?= tests --ignore tests/benchmarks -W default
PIP := $(BIN)/pip --disable-pip-version-check install --quiet
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt

.PHONY: help demo test test-long test-faults test-lowest check lint types imports bench bench-answers bench-verdict bench-pages docs test-docs dist clean

help:  ## print this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.venv/created:
	$(PYTHON) -m venv .venv
	@touch $@

.venv/demo-installed: .venv/created pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

.venv/dev-installed: .venv/created pyproject.toml constraints.txt
	$(PIP) --editable '.[dev]'
	@touch $@ .venv/demo-installed

.venv/docs-installed: .venv/dev-installed
	$(PIP) --editable '.[dev,docs,release]'
	@touch $@

demo: .venv/demo-installed  ## rank detectors on a dataset that scikit-learn ships
	$(BIN)/python -m oddrank.demo

test: .venv/dev-installed  ## run the tests (documents included)
	$(BIN)/python -m pytest -n logical --dist worksteal $(COVERAGE)

test-long: .venv/dev-installed  ## run the long theory tests (interval coverage)
	$(BIN)/python -m pytest -m long

test-faults: .venv/dev-installed  ## run the fault suite: kills, full disks, hostile input
	$(BIN)/python -m pytest -m faults tests

test-lowest:  ## run the tests with the lowest versions that are stated, in .venv-lowest
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/pip --disable-pip-version-check install --quiet uv
	.venv-lowest/bin/python -m tests.lowest_versions > .venv-lowest/lowest.txt
	PIP_CONSTRAINT= .venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python \
		--resolution lowest-direct --constraint .venv-lowest/lowest.txt --editable '.[test]'
	.venv-lowest/bin/python -m pytest $(LOWEST)

lint: .venv/dev-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

types: .venv/dev-installed
	$(BIN)/mypy

imports: .venv/dev-installed
	$(BIN)/lint-imports

# Coverage takes half as long again, so that `make test` alone goes without.
check: COVERAGE := --cov --cov-report=term:skip-covered --cov-fail-under=90
check: lint types imports docs test  ## what CI runs: lint, types, import contract, the site, tests

bench: .venv/dev-installed  ## measure speed and accuracy side by side
	$(BIN)/python -m benchmarks measure

bench-verdict: .venv/dev-installed  ## run the study of 261 tables, or what is left of it (25 minutes), and write its page
	$(BIN)/python -m benchmarks run odd_tables --rows odd_tables.jsonl --jobs 2
	$(BIN)/python -m benchmarks pages odd_tables --rows odd_tables.jsonl

bench-answers: .venv/dev-installed  ## run the study of answers, or what is left of it (50 minutes), and write its page
	$(BIN)/python -m benchmarks run answers --rows answers.jsonl --jobs 2
	$(BIN)/python -m benchmarks pages answers --rows answers.jsonl

bench-pages: .venv/dev-installed  ## write the pages of the studies from their stored rows
	$(BIN)/python -m benchmarks pages goix2016
	$(BIN)/python -m benchmarks pages verdict
	$(BIN)/python -m benchmarks pages odd_tables
	$(BIN)/python -m benchmarks pages answers

# About 105 seconds of CPU time on two processes, half of it for the gallery (50 in the tests).
docs: .venv/docs-installed  ## build the site to docs/_build/html, run its gallery, check its links
	$(BIN)/sphinx-build -j 2 -W --keep-going -q -b html docs docs/_build/html
	$(BIN)/python -m pytest -q tests/test_site.py -k built

test-docs: .venv/dev-installed  ## run every example of README, docs and gallery
	$(BIN)/python -m pytest README.md docs tests/test_documents.py tests/test_site.py tests/test_gallery.py

dist: .venv/docs-installed  ## build the wheel and the sdist, and check them
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*

clean:  ## remove the environment and every cache
	rm -rf .venv .venv-lowest .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage build dist \
		docs/_build docs/api docs/gallery docs/project
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
