# make run    set everything up, execute every notebook on this machine, print a table
# make test   set everything up, run the tests and `pytest --nbval`
# make lab    open JupyterLab on the first notebook
# make record measure every experiment on this GPU and append it to data/
# make doctor say what runs the kernels here and what is missing
# make PYTHON=python3.12 ...   another Python than python3

PYTHON ?= python3
IN_VENV = .venv/bin/python
# JupyterLab wants to be told that root, whom a rented machine usually gives, is meant.
AS_ROOT = $(if $(filter 0,$(shell id -u)),--allow-root)

.PHONY: run test lab record doctor setup clean

setup:
	@$(PYTHON) -I tools/bootstrap.py

run: setup
	@$(IN_VENV) -m helpers.teach.run_notebooks run

test: setup
	@$(IN_VENV) -m pytest --nbval -p no:cacheprovider

lab: setup
	@$(IN_VENV) -m jupyterlab $(AS_ROOT) --LabApp.default_url=/lab/tree/notebooks/00_setup.ipynb

record: setup
	@$(IN_VENV) -m helpers.measure.experiments record

doctor: setup
	@$(IN_VENV) -m helpers.run.machine

clean:
	rm -rf build .venv
