# Everything runs in the environment that ./stone makes, with the developers' tools on top.
.PHONY: test lint lock
VENV := $(or $(STONE_VENV),.venv)
TOOLS := $(VENV)/developer.stamp

test: $(TOOLS)
	"$(VENV)/bin/python" -m pytest -n 2 --dist worksteal

lint: $(TOOLS)
	"$(VENV)/bin/python" -m ruff check
	"$(VENV)/bin/python" -m ruff format --check
	"$(VENV)/bin/python" -m mypy

lock: $(TOOLS)
	"$(VENV)/bin/python" -m tensorstone.dialects.lock

$(TOOLS): stone requirements.lock requirements-dev.lock pyproject.toml
	STONE_ONLY_BOOTSTRAP=1 ./stone
	"$(VENV)/bin/python" -m tensorstone.runtime.environments.developer
	touch "$@"
