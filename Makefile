# make setup   creates an environment with everything for development, R, and a browser for tests. It
#              also compiles what numba would compile in the first tests (make compiled).
# make demo    runs the main job on the bundled example, and writes its report as a page.
# make test    runs the tests, also those in R. Of the cases marked one_in(n) it runs one in n; it runs
#              no test marked long.
# make test-lowest  runs the same tests with the lowest library versions that pyproject.toml allows.
# make coverage  runs the tests and shows which lines and branches of src they do not reach (15 min).
#                It fails below 98 % of branches.
# make judges  runs a part of validation (1 min): numbers compared with R, 50 digits, trec_eval,
#              statsmodels and papers. CI runs it.
# make validate  runs the whole validation:
#                - every scheme, compared with R and mpmath on 100,000 inputs (20 min)
#                - the bandwidth rules, compared with R on 10,000 samples (3 min)
#                - the laws of from_scipy, compared with R's own optimizers (10 min)
#                - the cautions on 10,000 parts of real matrices, and on planted faults (2 min)
#                - every test, compared with R on 10,000 inputs and all real pairs; calibration by
#                  simulation (20 min)
#                - the level of every test for 5 to 50 topics, compared with docs/levels.md (10 min)
#                - the coverage and the level of every number that no R function computes, compared
#                  with docs/coverage.md (15 min on two cores)
#                - the diagnosis on topics simulated from each family (15 min)
#                - every number that statsmodels computes too, compared with R and 50 digits (5 min)
#                - all 10,000 trials of Urbano et al. (2019), compared with their files (1 min)
#                - compiled LaTeX tables, and all tests with 1,000 examples of their properties, drawn
#                  by a random seed that is printed (SEED=N repeats one), all topics of the real
#                  matrices, and all trials of nDCG in R (20 min)
# make properties  runs all property tests with 100 examples of ten random seeds (20 min).
# make quick   runs the tests of arithmetic, data frames and threads. CI also runs them on the newest
#              Python, if it is another one.
# make lint    runs ruff and mypy.
# make outputs  checks that all recorded outputs are still the same, in every byte.
# make fuzz    tests every reader of files and of command-line words, for 10 minutes each (4 hours).
#              atheris changes the inputs in validation/fuzzing/seeds. FUZZ="scores runs" chooses some
#              readers; FUZZ_SECONDS=60 is a shorter time.
# make faults  runs real commands with kill -9, full and read-only disks, damaged files, lost workers
#              and wrong clocks, and writes docs/faults.md (30 min; needs root on Linux, faketime and
#              CDFSCORE_DATA).
# make mutants  makes small random changes in six packages and lists those that no test notices, for
#              docs/mutants.md. It needs a first run of the tests, then 60 minutes for compiled code, 60
#              for the rest, and 60 for compiled code that survives as plain Python. Finished parts
#              are kept in .mutants and do not run again.
#              MUTANTS="--package schemes --number 20 --minutes 10" chooses a part.
# make bench   prints the times of docs/speed.md.
# make peers   runs the same jobs with other packages, and writes times and p values to
#              docs/comparison_with_others.md.
# make r-package  renews the generated files of r-package, and runs make r-check.
# make r-check  builds and checks r-package in the folder build (1 min). A warning of R CMD check is an
#              error. CI runs it.
# make references  records the outputs of R again.
# make images  draws the pictures that figures are compared with. Look at each picture that git shows
#              as changed.
# make tables  writes the tables, summaries and links that are made from the code into the pages of docs.
# make docs    builds the pages in the folder site.
# make docs-check  opens the pages in a browser: searches must find the right page first, and pages must
#              fit a phone.
# make clean   removes the environments, and the files that demo and docs wrote.
# For another Python: make test PYTHON=python3.13 VENV=.venv-3.13
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# uv installs in seconds; pip takes minutes. Modules are compiled here, as pip does: a warning of Python
# about the source of a library would be an error in the first test that imports it.
INSTALL = $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python
# A number that no one has chosen; make validate SEED=N repeats the examples of N.
SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
FUZZ ?=
FUZZ_SECONDS ?= 600
MUTANTS ?=
SHELL = /bin/bash
BRANCHES = import json, sys; found = json.load(sys.stdin)["totals"]; \
	covered, every = found["covered_branches"], found["num_branches"]; \
	print(f"{covered:,} of {every:,} branches, {covered / every:.2%}"); sys.exit(covered < 0.98 * every)

# Tests start hundreds of processes. Without bytecode, each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup compiled demo test test-lowest coverage judges quick lint validate properties outputs fuzz faults mutants bench peers references images r-package r-check tables docs docs-check site-check clean
.DELETE_ON_ERROR:

setup: $(VENV)/.dev compiled

# What numba would compile within the tests.
compiled: $(VENV)/.compiled

$(VENV)/.compiled: $(VENV)/.dev tests/compiled_ahead.py $(shell find src -name '*.py')
	$(BIN)/python -m tests.compiled_ahead
	touch $@

$(VENV)/bin/python:
	bash scripts/make_venv.sh $(PYTHON) $(VENV)

$(BIN)/uv: | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml | $(BIN)/uv
	$(INSTALL) --editable '.[plots,report]'
	touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml scripts/install_r.sh scripts/install_browser.sh | $(BIN)/uv
	bash scripts/install_r.sh
	bash scripts/install_browser.sh
	$(INSTALL) --editable '.[dev]'
	touch $(VENV)/.demo $@

demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py demo
	$(BIN)/cdfscore report demo/cranfield_ap.csv --scheme empirical -o demo/report.html
	@echo "The whole analysis on one page, for a browser: demo/report.html"

test: $(VENV)/.dev compiled
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=worksteal $(OPTIONS)

# The lowest versions of the libraries that users need, and the newest possible versions of the
# libraries that only the tests need.
.venv-lowest/.dev: pyproject.toml | .venv/bin/uv
	bash scripts/make_venv.sh $(PYTHON) .venv-lowest
	.venv/bin/uv pip compile --quiet --resolution lowest-direct \
		$(addprefix --extra=,plots report sklearn trec validation) \
		--python .venv-lowest/bin/python pyproject.toml -o .venv-lowest/lowest.txt
	.venv/bin/uv pip install --quiet --compile-bytecode --python .venv-lowest/bin/python \
		--constraint .venv-lowest/lowest.txt --editable '.[dev]'
	touch $@

# Other packages warn of old libraries; their warnings are not errors here.
test-lowest: .venv-lowest/.dev
	$(MAKE) test VENV=.venv-lowest OPTIONS='-W ignore::DeprecationWarning'

# The limit of coverage.py itself, fail_under, counts lines as well as branches.
coverage: $(VENV)/.dev
	$(MAKE) test OPTIONS='--cov --cov-report=term'
	$(BIN)/coverage json --quiet -o - | $(BIN)/python -c '$(BRANCHES)'

judges: $(VENV)/.dev
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=worksteal \
		validation/bandwidths validation/campaign validation/diagnosis validation/papers \
		validation/parity validation/references validation/statsmodels_judge \
		validation/trec_eval

# What the newest libraries may break first: arithmetic, data frames and threads.
quick: $(VENV)/.dev
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=worksteal \
		tests/numerics tests/effect_size tests/power tests/io/test_frames.py \
		tests/standardization/test_fit_and_apply.py tests/significance/test_threads.py \
		tests/significance/test_f_distribution.py tests/test_sklearn.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

validate: $(VENV)/.dev
	bash scripts/install_latex.sh
	$(BIN)/python -m validation.campaign
	$(BIN)/python -m validation.bandwidths
	$(BIN)/python -m validation.laws
	$(BIN)/python -m validation.cautions
	$(BIN)/python -m validation.significance
	$(BIN)/python -m validation.significance.levels
	$(BIN)/python -m validation.coverage
	$(BIN)/python -m validation.diagnosis
	$(BIN)/python -m validation.statsmodels_judge
	$(BIN)/python -m validation.papers
	@echo "The examples of properties are those of SEED=$(SEED)."
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=worksteal --long \
		--hypothesis-seed=$(SEED) tests validation

properties: $(VENV)/.dev
	for k in 0 1 2 3 4 5 6 7 8 9; do \
		echo "--hypothesis-seed=$$(($(SEED) + k))"; \
		$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 -m hypothesis \
			--hypothesis-seed=$$(($(SEED) + k)) tests || exit; \
	done

outputs: $(VENV)/.dev
	$(BIN)/python -m validation.outputs compare validation/outputs/recorded.json

fuzz: $(VENV)/.dev
	$(INSTALL) --editable '.[fuzz]'
	$(BIN)/python -m validation.fuzzing $(FUZZ) --seconds $(FUZZ_SECONDS)

faults: $(VENV)/.dev
	$(BIN)/python -m validation.faults --page docs/faults.md

mutants: $(VENV)/.dev
	$(INSTALL) --editable '.[mutants]'
	$(BIN)/python -m validation.mutation $(MUTANTS)
	$(BIN)/python -m validation.mutation --interpreted $(MUTANTS)
	$(BIN)/python -m validation.mutation --compiled $(MUTANTS)
	$(BIN)/python -m validation.mutation --table

bench: $(VENV)/.dev
	$(BIN)/python -m validation.benchmarks

peers: $(VENV)/.dev
	$(INSTALL) --editable '.[peers]'
	$(BIN)/python -m validation.benchmarks.peers docs/comparison_with_others.md

# CI may have no network for the clock and CRAN, and the package has no PDF that qpdf could compress.
r-package: $(VENV)/.dev
	$(BIN)/python -m validation.r_package
	$(MAKE) r-check

r-check:
	rm -rf build/r-package && mkdir -p build/r-package
	cd build/r-package && R CMD build ../../r-package && \
		R_QPDF=true _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_CRAN_INCOMING_REMOTE_=false \
		R CMD check --as-cran --no-manual cdfscore_*.tar.gz
	! grep --after-context=3 'WARNING$$' build/r-package/cdfscore.Rcheck/00check.log

images: $(VENV)/.dev
	$(BIN)/python -m pytest tests/plots/test_images*.py --mpl-generate-path=tests/plots/baseline

references: $(VENV)/.dev
	$(BIN)/python -m validation.references

tables: $(VENV)/.dev
	$(BIN)/python -m validation.documentation

$(VENV)/.docs: $(VENV)/.dev
	$(INSTALL) --editable '.[docs]'
	touch $@

# Sphinx with --jobs 2 takes longer: it hands each page from one process to the other.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build --fresh-env --fail-on-warning --keep-going --quiet -b html docs site

docs-check: docs site-check

# The site as it was built last.
site-check: $(VENV)/.dev
	$(BIN)/python -m validation.documentation.browser site

clean:
	rm -rf $(VENV) .venv-newest .venv-lowest demo docs/pictures docs/reference site
