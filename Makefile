# Needs python3 (3.11 or newer) and make; everything else goes into .venv, at the versions of constraints.txt.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
WORKERS ?= auto
PIP := --quiet --disable-pip-version-check --no-compile

# One BLAS thread: timings are comparable, and two test workers do not fight over two cores.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help demo test check bench docs format clean

help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY)-cli ## host against host + JANUS on three problems: live, a table, plots in janusopt-demo/
	@$(BIN)/janusopt demo

test: $(READY)-dev ## the whole test suite, on all cores
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(READY)-dev ## format, lint, types, import contracts
	$(BIN)/ruff format --check src tests examples
	$(BIN)/ruff check src tests examples
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)-cli ## what JANUS costs: time a generation, growth to d = 100,000, against the stated limits
	@$(BIN)/python -m janusopt.bench.overhead

docs: $(READY)-dev ## check the docs: links, the README's example, every function that METHOD.md names
	$(BIN)/python -m pytest -n0 tests/test_docs.py

format: $(READY)-dev ## rewrite the sources in the house format
	$(BIN)/ruff format src tests examples
	$(BIN)/ruff check --fix src tests examples

clean: ## remove .venv, caches and what the demo wrote
	rm -rf $(VENV) build dist janusopt-demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(READY)-cli: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Setting up $(VENV) (once, about a minute) ..."
	@$(BIN)/python -m pip install $(PIP) --constraint constraints.txt --editable '.[cli]'
	@touch $@

$(READY)-dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Setting up $(VENV) with the development tools (once, about a minute) ..."
	@$(BIN)/python -m pip install $(PIP) --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)-cli $@
