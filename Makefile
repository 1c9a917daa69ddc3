# Everything a clone needs, from Python 3.11 or newer and its own pip. `make` alone lists the targets.

PYTHON ?= python3
UV ?= uv
LOCK_FLAGS ?=
NPM ?= npm

# Bytecode is worth seconds at every start: NumPy, SciPy and Numba are large.
unexport PYTHONDONTWRITEBYTECODE

IN_VENV := .venv/bin/python
INSTALL := $(IN_VENV) -m pip install --quiet --disable-pip-version-check
# Not quiet: it takes a minute, and pip shows what it fetches.
INSTALL_LOCKED := $(IN_VENV) -m pip install --disable-pip-version-check --compile --only-binary :all: --require-hashes
COMPILE_LOCK := $(UV) pip compile --quiet --no-config --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate $(LOCK_FLAGS)

# The exact part of the library, whose tests start no processes.
CORE := tests/mdp tests/grids tests/options tests/representation tests/basis

# How the shell finds the command hsr.
ACTIVATE := Activate the environment: . .venv/bin/activate    Then try: hsr lab

.DELETE_ON_ERROR:
.PHONY: help venv demo reproduce evidence evidence-gpu quick test pytest browser deep deep-test lint coverage minimums bench lab-page \
	docs examples lock dist clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

venv: .venv/.dev  ## install the locked packages and hsr itself into .venv
	@echo "$(ACTIVATE)"

demo: .venv/.runtime  ## draw the predictive maps of a maze into out/
	.venv/bin/hsr demo --out out
	$(IN_VENV) .ci/ten-lines
	@echo "$(ACTIVATE)"

reproduce: .venv/.runtime  ## run a small version of every experiment and write out/report/report.html
	.venv/bin/hsr reproduce --preset smoke --store out

# WORKERS=8 takes as many processes, and SCHEDULER=tcp://... those of a Dask cluster.
EVIDENCE := studies/evidence.py $(if $(SCHEDULER),--scheduler $(SCHEDULER),$(if $(WORKERS),--workers $(WORKERS)))

evidence: .venv/.runtime  ## compute all results in README and docs again; prints first how long it takes
	$(IN_VENV) $(EVIDENCE)

evidence-gpu: .venv-deep/.installed  ## the same for networks, which need a GPU
	.venv-deep/bin/python $(EVIDENCE) --gpu

quick: .venv/.dev  ## run the fast tests of the core, in less than a minute
	$(IN_VENV) -m pytest -q --numprocesses auto --dist worksteal $(CORE)

test: lint pytest  ## check style and types, and run every test that needs neither browser nor JAX

pytest: .venv/.dev
	$(IN_VENV) -m pytest --numprocesses auto --dist worksteal --durations 30

browser: .venv/.dev  ## test the lab's page under Node and in Chromium, and the report; skipped without them
	$(IN_VENV) -m pytest tests/lab/node tests/browser --numprocesses 2 --dist loadfile

deep: .venv-deep/.installed  ## install hsr with JAX, Optax and Equinox into a second environment, .venv-deep
	@echo "Activate the environment: . .venv-deep/bin/activate    Test it: make deep-test"

deep-test: .venv-deep/.installed  ## test hsr.deep in that environment
	.venv-deep/bin/python -m pytest tests/deep src/hsr/deep --numprocesses 2 --dist worksteal

lint: .venv/.dev  ## check style and types only
	$(IN_VENV) -m ruff check .
	$(IN_VENV) -m ruff format --check .
	.venv/bin/lint-imports --no-cache
	$(IN_VENV) -m mypy

# Compiled code cannot be traced, so tests of kernels are repeated in plain Python, each for at most five
# seconds. Those that compare compiled code with plain Python fail there, and are not counted as failures.
COVERAGE := COVERAGE_FILE=$(CURDIR)/out/coverage/data .venv/bin/coverage
PLAIN := NUMBA_DISABLE_JIT=1 HSR_TEST_SECONDS=5 $(COVERAGE)

coverage: .venv/.dev  ## measure which lines the tests run, and print those that none does (20 minutes)
	rm -rf out/coverage && mkdir -p out/coverage
	$(COVERAGE) run -m pytest -q --numprocesses auto --dist worksteal
	$(PLAIN) run -m pytest -q --numprocesses auto --dist worksteal $(CORE) tests/agents \
		tests/animals tests/envs >/dev/null || true
	$(COVERAGE) combine --quiet
	$(COVERAGE) html --quiet --directory out/coverage/html
	$(COVERAGE) report --show-missing

# Direct dependencies at the lowest versions that pyproject.toml allows, everything else at the newest.
# Deprecations between old packages are no errors.
LOWEST := .venv-minimums/lowest.txt
UV_PIP := $(UV) pip --quiet --no-config

minimums:  ## test the lowest versions that pyproject.toml allows (needs uv)
	@command -v $(UV) >/dev/null || { echo "make minimums needs uv on the PATH, or make minimums UV=/path/to/uv" >&2; exit 1; }
	$(UV) venv --quiet --no-config --clear --python "$(PYTHON)" .venv-minimums
	$(UV_PIP) compile --only-binary :all: --resolution lowest-direct --python .venv-minimums \
		--extra all --no-header --no-annotate pyproject.toml -o $(LOWEST)
	$(UV_PIP) install --python .venv-minimums --constraint $(LOWEST) --editable ".[all,test]"
	.venv-minimums/bin/hsr doctor
	.venv-minimums/bin/python -m pytest -q --numprocesses auto --dist worksteal \
		-W ignore::DeprecationWarning -W ignore::FutureWarning \
		$(CORE) tests/_base tests/envs tests/files tests/plots tests/experiments/store tests/cli

bench: .venv/.dev  ## time hsr against its peers and print the ratios
	$(IN_VENV) -m benchmarks

docs: .venv/.dev  ## build the documentation into docs/_build, run its examples, and fail on any warning
	rm -rf docs/_build
	$(IN_VENV) -m sphinx -W --keep-going -n -q docs docs/_build/html
	$(IN_VENV) -m pytest tests/pages -q --numprocesses 2 --dist worksteal
	@echo "Look at docs/_build/html/index.html"

examples:  ## run every example with --quick, and test the adapters, each with their packages (fetches PyTorch)
	PYTHON="$(PYTHON)" .ci/examples

lab-page: .venv/.runtime web/node_modules/.package-lock.json  ## build the page of hsr lab and check its types (needs Node)
	$(IN_VENV) -m hsr.lab.page
	cd web && $(NPM) run --silent check

web/node_modules/.package-lock.json: web/package-lock.json
	@command -v node >/dev/null || { echo "The page of the lab is built with Node, which is not installed: https://nodejs.org" >&2; exit 1; }
	cd web && $(NPM) ci --ignore-scripts=false --no-audit --no-fund
	@touch $@

lock:  ## pin every package again (needs uv; LOCK_FLAGS=--upgrade moves to the newest)
	@command -v $(UV) >/dev/null || { echo "make lock needs uv on the PATH, or make lock UV=/path/to/uv" >&2; exit 1; }
	$(COMPILE_LOCK) --extra paper --extra envs --extra plots --extra pandas --extra xarray --extra data \
		pyproject.toml requirements/build.in -o requirements/runtime.txt
	$(COMPILE_LOCK) requirements/node.in -o requirements/node.txt
	$(COMPILE_LOCK) --extra all --extra test --extra docs --extra dev \
		--constraint requirements/runtime.txt \
		pyproject.toml requirements/build.in -o requirements/dev.txt
	$(COMPILE_LOCK) --extra deep --extra paper --constraint requirements/dev.txt \
		pyproject.toml requirements/build.in requirements/deep.in -o requirements/deep.txt

dist: .venv/.runtime lab-page  ## build wheel and sdist into dist/ and prove them on every Python at hand
	@$(IN_VENV) release/prove.py

clean:  ## remove .venv, out and every cache
	rm -rf .venv .venv-deep .venv-examples .venv-adapters .venv-minimums out dist build docs/_build web/node_modules src/hsr/lab/static .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

# pip is the last thing that venv installs, so its presence says that an environment is whole.
%/bin/pip:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "hsr needs Python 3.11 or newer, and $(PYTHON) is $$("$(PYTHON)" --version 2>/dev/null || echo missing)." >&2; \
		echo "Name another one: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	"$(PYTHON)" -m venv --clear $*

.venv/.runtime: requirements/runtime.txt pyproject.toml | .venv/bin/pip
	$(INSTALL_LOCKED) --requirement requirements/runtime.txt
	$(INSTALL) --no-index --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: requirements/dev.txt .venv/.runtime
	$(INSTALL_LOCKED) --requirement requirements/dev.txt
	@touch $@

.venv-deep/.installed: requirements/deep.txt pyproject.toml | .venv-deep/bin/pip
	.venv-deep/bin/python -m pip install --disable-pip-version-check \
		--no-compile --only-binary :all: --require-hashes --requirement requirements/deep.txt
	.venv-deep/bin/python -m pip install --quiet --disable-pip-version-check \
		--no-index --no-deps --no-build-isolation --editable .
	@touch $@
