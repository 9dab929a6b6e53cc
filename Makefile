# make run       set everything up, execute every notebook here, print a table and write pages
# make test      set everything up, run the tests and `pytest --nbval`
# make test-all  the same and the stress tests; records the run in data/test_all.csv
# make lint      check style, docstrings, imports between the sides, layout of CUDA files, and
#                that what was recorded or derived is of today's files
# make mutate    put small errors into the helpers and count those that a test notices
# make lab       open JupyterLab on the first notebook
# make site      write the course as web pages into build/site/
# make fresh LESSON=05   bring a lesson back to the last commit; yours is kept in notebooks/mine/
# make record    measure every experiment on this GPU and append it to data/
# make prepare   build all kernels into ELEMENTWISE_CACHE, for a class to read
# make student   write lessons without outputs into build/student/, solutions apart
# make site TRANSLATION=zh_CN, make student TRANSLATION=zh_CN   in a language of docs/translations/
# make teacher   write a guide for teachers, with plans and slides, into build/teacher/
# make board MARKS=FOLDER   show a workshop's board: who solved what, who is stuck
# make setup     only set everything up: .venv, which every target does first
# make clean     remove build/ and, if make has made it, .venv
# make doctor    say what runs the kernels here and what is missing
# make PYTHON=python3.12 ...   another Python than python3

# Else each of some hundred processes would compile every module that it imports.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
IN_VENV = .venv/bin/python
# JupyterLab refuses to run as root without this flag; rented machines often log you in as root.
AS_ROOT = $(if $(filter 0,$(shell id -u)),--allow-root)

# conftest.py says how many workers these are and who runs what.
SPREAD = -n auto
# The corpus is left as learners write.
CUDA_FILES = $(wildcard kernels/*.cu kernels/*.cuh data/trace_kernels/*) \
             $(shell find helpers/emulator/include -type f) \
             $(shell find helpers tests \( -name '*.cu' -o -path '*/tracing/*' \) -type f -not -path '*/corpus/*')

.PHONY: run test test-all lint mutate lab site fresh record prepare student teacher board doctor setup clean

setup:
	@$(PYTHON) -I tools/bootstrap.py $(if $(filter-out file,$(origin PYTHON)),--named)

run: setup
	@$(IN_VENV) -m helpers.teach.run_notebooks

test: setup
	@$(IN_VENV) -m pytest --nbval -p no:cacheprovider $(SPREAD)

test-all: setup
	@$(IN_VENV) tools/test_all.py $(SPREAD)

lint: setup
	@PATH=".venv/bin:$$PATH"; export PATH; failed=; \
	ruff check --output-format concise helpers tests tools conftest.py || failed=1; \
	ruff format --check --quiet helpers tests tools conftest.py \
	    || { echo "run: ruff format helpers tests tools conftest.py"; failed=1; }; \
	lint-imports --no-cache --no-logo || failed=1; \
	clang-format --dry-run -Werror $(CUDA_FILES) || failed=1; \
	python -m tools.stale || failed=1; \
	test -z "$$failed"

mutate: setup
	@$(IN_VENV) -m tools.mutate --sample 400 --seed 1

# Its kernel does not say its Python's version, for which JupyterLab would show a lesson that was
# only opened as changed.
lab: setup
	@JUPYTER_PATH="$(CURDIR)/helpers/teach/jupyter$${JUPYTER_PATH:+:$$JUPYTER_PATH}" \
	$(IN_VENV) -m jupyterlab $(AS_ROOT) --LabApp.default_url=/lab/tree/notebooks/00_first_kernel.ipynb

site: setup
	@$(IN_VENV) -m helpers.teach.site $(if $(TRANSLATION),--language $(TRANSLATION))

fresh: setup
	@$(IN_VENV) -m helpers.teach.fresh $(LESSON)

record: setup
	@$(IN_VENV) tools/record.py

prepare: setup
	@$(IN_VENV) -m helpers.run.prepare

student: setup
	@$(IN_VENV) -m tools.student $(if $(TRANSLATION),--language $(TRANSLATION))

teacher: setup
	@$(IN_VENV) -m tools.teacher

board: setup
	@$(IN_VENV) -m tools.board --watch $(MARKS)

doctor: setup
	@$(IN_VENV) -m helpers.run.machine

clean:
	rm -rf build
	@for made in constraints.txt installed; do test ! -e .venv/$$made || rm -rf .venv; done
