# Everything runs in the environment that ./stone makes, with the developers' tools on top.
.PHONY: test test-rest test-all coverage lint lock docs
VENV := $(or $(STONE_VENV),.venv)
TOOLS := $(VENV)/developer.stamp
PYTEST = "$(VENV)/bin/python" -m pytest -n 2 --dist worksteal --durations=15
REST := every_framework or slow

# What a contributor runs: it needs the four default frameworks, and installs them.
test: $(TOOLS)
	$(PYTEST) -m "not ($(REST))"

# What `make test` leaves out: every other framework, and long simulations.
test-rest: $(TOOLS)
	$(PYTEST) -m "$(REST)"

test-all: $(TOOLS)
	$(PYTEST)

# What of each package the tests of `make test` run, lines and branches.
coverage: $(TOOLS)
	$(PYTEST) -m "not ($(REST))" --cov --cov-report=
	"$(VENV)/bin/python" tests/coverage_by_package.py

lint: $(TOOLS)
	"$(VENV)/bin/python" -m ruff check
	"$(VENV)/bin/python" -m ruff format --check
	"$(VENV)/bin/python" -m mypy

lock: $(TOOLS)
	"$(VENV)/bin/python" -m tensorstone.dialects.lock

docs: $(TOOLS)
	"$(VENV)/bin/python" -m tensorstone.report.json_page > docs/json.md.part
	mv docs/json.md.part docs/json.md

$(TOOLS): stone requirements.lock requirements-dev.lock pyproject.toml
	STONE_ONLY_BOOTSTRAP=1 ./stone
	"$(VENV)/bin/python" -m tensorstone.runtime.environments.developer
	touch "$@"
