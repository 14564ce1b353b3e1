# make demo and make test each do everything on a fresh machine with Python 3.11+ and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test lint ui bench lock clean

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("gpuledger needs Python 3.11 or newer; say make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q .venv/lib models sources warehouse pipelines >/dev/null || true
	touch $(READY)

demo: $(READY)
	$(BIN)/gpuledger refresh --recorded
	$(BIN)/gpuledger cost

test: $(READY)
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy

ui: $(READY)
	$(BIN)/gpuledger ui

bench: $(READY)
	$(BIN)/python -m bench

lock:
	uv pip compile pyproject.toml --extra dev --generate-hashes --no-emit-index-url --no-strip-extras \
	  --universal --python-version 3.11 -o requirements.lock

clean:
	rm -rf .venv data
