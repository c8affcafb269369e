# The house's tasks. Each works from a clean clone: what is missing is installed into .venv first.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.stamp
CHECKED := gatebot tests bench tools
PYTEST_ARGS ?=
LOCK_ARGS ?=
E2E_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help venv check test unit e2e empty-container demo bench schema lock clean calibrate

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

venv: $(STAMP) ## the environment: locked dependencies, checked by their hashes

$(STAMP): requirements-dev.lock pyproject.toml tools/venv.sh
	tools/venv.sh "$(PYTHON)" .venv
	touch $@

check: $(STAMP) ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright $(wildcard $(CHECKED))
	$(BIN)/lint-imports --no-logo

test: check ## check, then every test (GATEBOT_STAND_INS=folder: with stand-ins installed there)
	$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

unit: $(STAMP) ## the unit tests alone
	$(BIN)/python -m pytest -n auto tests/unit $(PYTEST_ARGS)

e2e: $(STAMP) ## the image, the workflows and the whole story, on a container engine (E2E_ARGS=-k…; minutes)
	tools/e2e.sh $(BIN)/python $(E2E_ARGS)

empty-container: ## make demo and make test, timed, from a clean clone where nothing but Python, git and make is (minutes)
	tools/empty_container.sh

demo: $(STAMP) ## gate a made-up pull request: no key, no network
	$(BIN)/gatebot demo

bench: $(STAMP) ## the figures: every script in bench/
	@set -e; for script in $(sort $(wildcard bench/*.py)); do echo "== $$script"; $(BIN)/python "$$script"; done

calibrate: $(STAMP) ## false alarms, power and cost of the whole gate, simulated for MINUTES (10)
	$(BIN)/python bench/calibrate.py $(or $(MINUTES),10)

schema: $(STAMP) ## write schema/*.json from the models
	$(BIN)/gatebot schema --out schema

lock: ## resolve the dependencies anew (LOCK_ARGS=--upgrade takes newer versions)
	tools/lock.sh "$(PYTHON)" $(LOCK_ARGS)

clean: ## remove what the tasks made
	rm -rf .venv .demo .e2e .stand-ins build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
