# dpbandits: two commands, `make` and `make test`. `make help` lists the others.
# Needs python3 (3.11 to 3.13, with venv), make and git; everything else goes into .venv.
SHELL := /bin/bash
PYTHON ?= python3
CORES ?= all
SCALE ?= paper
export ID SCALE # to the shell as they are, whatever characters they hold
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PYTHONDONTWRITEBYTECODE :=
# malloc keeps freed arrays of some megabytes, so that their pages are not requested again
export MALLOC_MMAP_THRESHOLD_ := 100000000
export MALLOC_TRIM_THRESHOLD_ := 100000000
READY := .venv/.ready
PIP = $(BIN)/pip install --quiet --disable-pip-version-check --no-deps

SNAKEMAKE = $(BIN)/snakemake --quiet reason --cores $(CORES)

.PHONY: all smoke extended report archive docs figure proofs test test-quick test-texts texts test-paper test-smoke test-lowest certificates test-cluster lint format lock golden clean help
.DEFAULT_GOAL := all

all: $(READY) ## run everything at the paper scale, with all cores (CORES=n for fewer)
	$(SNAKEMAKE)

smoke: $(READY) ## run every rule at toy sizes, into results/smoke
	$(SNAKEMAKE) --config scale=smoke

extended: $(READY) ## the largest scale, into results/extended; better on a cluster
	$(SNAKEMAKE) --config scale=extended

report: $(READY) ## write the report, results/report.html, running first what is out of date
	$(SNAKEMAKE) results/report.html
	@echo "Open results/report.html in a browser."

archive: $(READY) ## put a run into one file, results/archive.zip
	$(SNAKEMAKE) results/archive.zip
	@sha256sum results/archive.zip

docs: $(READY) ## write the documentation as a site, results/site/index.html
	$(BIN)/properdocs build --quiet --strict
	@echo "Open results/site/index.html in a browser."

figure: $(READY) ## make one figure alone: make figure ID=hu/fig1 [SCALE=smoke]
	@test -n "$$ID" || { echo "Which one? make figure ID=hu/fig1; the names: $(BIN)/dpbandits list figures"; exit 2; }
	@$(BIN)/dpbandits draw "$$ID" --scale "$$SCALE"

# audits fork many processes, which costs most in a process that has imported all other tests
test: $(READY) ## run all tests, and say how long each part takes
	@part() { name="$$1"; shift; start=$$SECONDS; $(BIN)/python -m pytest "$$@" || exit; \
	    times="$$times  $$name $$((SECONDS - start)) s"; }; \
	part "audits" -n auto --dist loadfile tests/audit; \
	part "units" -n auto --dist loadfile --ignore tests/audit \
		-m "not pipeline and not smoke and not cluster and not lowest"; \
	part "runs of the workflow" -n auto --dist loadfile -m pipeline tests/workflow; \
	echo "Took:$$times"

test-texts: $(READY) ## find numbers and verdicts in README, docs, letters and texts of figures that are not those of rows and tables
	$(BIN)/python -m pytest -q tests/docs/test_texts.py

texts: $(READY) ## write the passages of pages that are made of rows and tables; print what else changed in pages (read it)
	$(BIN)/python -m dpbandits.reproduction.report.pages

# without what compiles, simulates much or starts other processes
test-quick: $(READY) ## run a quick part of the tests, while you edit (half a minute of one core)
	$(BIN)/python -m pytest -q tests/core tests/stochastic/test_stochastic_parts.py \
		tests/audit/test_audit_known_answers.py tests/audit/test_audit_calibrate.py \
		$(addprefix --ignore=tests/core/test_,algorithm_contract.py compiled.py engine_agreement.py)

LIBRARY_hu := stochastic
LIBRARY_fl := sparse
LIBRARY_us := kernel
LIBRARY_kl := offline
test-paper: $(READY) ## run the tests of one paper's code, of its claims and of its algorithms: make test-paper PAPER=fl
	@test -n "$(LIBRARY_$(PAPER))" || { echo "Which paper? make test-paper PAPER=hu (or fl, us, kl)"; exit 2; }
	$(BIN)/python -m pytest -q -n auto --dist loadfile tests/$(LIBRARY_$(PAPER)) \
		tests/reproduction/$(PAPER) tests/reproduction/certificates \
		tests/reproduction/pipeline/test_*_golden.py \
		tests/reproduction/pipeline/test_every_figure.py \
		tests/core/test_engine_agreement.py tests/core/test_algorithm_contract.py \
		tests/core/test_mechanism_contract.py

test-smoke: $(READY) ## run every rule of every paper at toy sizes on an emulated processor, and test what it makes
	$(BIN)/python -m pytest -m smoke tests/workflow/test_smoke.py

certificates: ## check every refutation with Python's standard library alone (seconds)
	@$(PYTHON) -I certificates/check.py

test-lowest: $(READY) ## run all commands and a small workflow with the lowest versions of all dependencies
	$(BIN)/python -m pytest -m lowest tests/packaging/test_lowest.py

test-cluster: $(READY) ## run the workflow on a real SLURM, with a lost job (installs it; needs root and Debian)
	@$(BIN)/python tests/cluster/slurm.py
	$(BIN)/python -m pytest -m cluster tests/cluster --verbose --capture=no

proofs: ## check the theorems of proofs/ with Coq (installs it on Debian, elsewhere says how)
	$(PYTHON) proofs/build.py

lint: $(READY) ## check style and the workflow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/snakemake --lint

format: $(READY) ## correct what can be corrected automatically
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

lock: $(READY) ## resolve the dependencies of pyproject.toml again, into the lock and the conda environment
	$(BIN)/uv pip compile pyproject.toml --extra reproduction --group dev --universal --python-version 3.11 \
		--fork-strategy fewest --generate-hashes --no-emit-index-url --no-annotate --no-header \
		--upgrade --quiet --output-file envs/requirements.lock
	$(BIN)/python envs/conda.py

golden: $(READY) ## write again what tests compare with: smoke tables, ledger, figures (read the diff!)
	$(SNAKEMAKE) --config scale=smoke -- tables
	rm -rf tests/golden && cp -r results/smoke/tables tests/golden
	find tests/golden -type f ! -name '*.csv' -delete
	for file in drawings test_ledger_golden; do \
		PYTHONPATH=tests/helpers $(BIN)/python tests/reproduction/pipeline/$$file.py || exit; done
	$(BIN)/python -m dpbandits.reproduction.report.pages

clean: ## remove results, caches and the environment; figures/ stays
	rm -rf results .snakemake .venv .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

$(READY): envs/requirements.lock pyproject.toml
	@echo "Setting up .venv from envs/requirements.lock (a minute or two, once)"
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v <= (3, 13) or sys.exit(f"dpbandits needs Python 3.11 to 3.13, {sys.executable} is %d.%d; try: make PYTHON=python3.12" % v)'
	$(PYTHON) -m venv .venv
	$(PIP) --require-hashes -r <(grep --after-context=2 '^pip==' envs/requirements.lock)
	$(PIP) --require-hashes --no-compile -r envs/requirements.lock
	$(BIN)/python -m compileall -qq -j 0 -x '/tests?/' .venv/lib src || true # without the packages' tests; files that do not compile are not needed
	$(PIP) --no-build-isolation --editable .
	@touch $@
