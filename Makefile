# Everything there is to run. `make` alone lists it.
#
# Recipes call small programs in tools/; what needs a decision is decided there.

PORT = 8000
export PYTHON

python = .venv/bin/python
chapters = book/*.ipynb
# In a container everyone is root, which Jupyter wants to be told.
as_root = $$([ "$$(id -u)" -ne 0 ] || echo --allow-root)
# Read by NumPy's and TensorFlow's libraries; tests/test_solutions.py knows them too.
one_thread = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1 TF_NUM_INTEROP_THREADS=1
# $(call environment,NAME): have the locked packages of requirements/NAME.txt in .venv/
environment = @python=$$(sh tools/find-python.sh) && "$$python" tools/environment.py $(1)

.DEFAULT_GOAL = help
.PHONY: help book test serve lab student answers execute lock clean

help: ## List these commands
	@echo "The course, from this folder (PYTHON=... names the Python to use):"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

book: ## Build the website into _build/html/ (no TensorFlow, no browser)
	$(call environment,book)
	@$(python) tools/build.py

test: ## Run every check: lint, types, site, tests, and every chapter re-run and compared
	$(call environment,test)
	$(python) -m ruff check
	$(python) -m ruff format --check
	@# The tests run mypy and build the site themselves, strictly and from nothing. Three workers keep
	@# two cores busy: much of the time goes into waiting for pages, installers and kernels. Each takes
	@# one thread for its mathematics, else they would wait for one another.
	@CHROMIUM=$$($(python) tools/find_chromium.py) && export CHROMIUM && set -x && \
	  $(one_thread) $(python) -m pytest --doctest-modules --ignore-glob="*conftest.py" --nbval --nbval-current-env \
	    -n 3 --dist loadfile --no-loadscope-reorder tests src web $(chapters)

serve: ## Serve the built site on this machine alone (PORT=8000)
	@python=$$(sh tools/find-python.sh) && "$$python" tools/serve.py $(PORT)

lab: ## Open the chapters in JupyterLab
	$(call environment,lab)
	$(python) -m jupyterlab $(as_root) book/01-lookup.ipynb

student: ## Make the student edition, chapters without solutions, in _build/class/student/
	$(call environment,book)
	@$(python) tools/classroom.py student

answers: ## Make the answer sheet for whoever teaches, _build/class/answers.md
	$(call environment,book)
	@$(python) tools/classroom.py answers

execute: ## Re-execute every chapter in place, in canonical form
	$(call environment,test)
	$(python) tools/execute.py

lock: ## Renew the locked requirements from pyproject.toml (needs uv)
	sh tools/lock.sh

clean: ## Remove everything that these commands made
	rm -rf .venv _build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .jupyter_cache
	find . -path ./.git -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints -o -name .ruff_cache -o -name '*.egg-info' \) \
	  -type d -prune -exec rm -rf {} +
