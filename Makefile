# Two commands matter: `make demo` deploys the example, `make test` runs the checks. Each sets up what it needs in
# .venv and .build; nothing outside this folder is touched.

PYTHON ?= python3
VENV   := .venv
BUILD  := .build
BIN    := $(VENV)/bin
SITE   := $(CURDIR)/$(BUILD)/ansible_collections/tosca/ensemble

export PATH         := $(CURDIR)/$(BIN):$(PATH)
export ANSIBLE_HOME := $(CURDIR)/$(BUILD)/ansible
# Without compiled files each start of Python would compile all that it imports.
unexport ANSIBLE_COLLECTIONS_PATH ANSIBLE_CONFIG PYTHONPATH VIRTUAL_ENV PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED

INSTALLED := $(VENV)/.installed
PROVISIONED := $(VENV)/.provisioned
EQUIPPED  := $(VENV)/.equipped
GUESTBOOK := $(BUILD)/guestbook
MACHINES  := $(BUILD)/machines
MESH      := $(BUILD)/mesh
# AWX, and the folder that holds its sources as archives (tests/awx/build).
AWX       ?= $(CURDIR)/$(BUILD)/awx
AWX_SOURCE ?= ../shared
# Receptor's sources, as a folder or an archive.
RECEPTOR_SOURCE ?= $(AWX_SOURCE)/sources/receptor.tar.gz
# The versions that development is done with, of each Python; `make LOCK=` takes the newest.
LOCK      := requirements-dev.lock
# Python compiles what it imports, which is a part of what there is.
INSTALL   := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# Tests run side by side; who has none left takes some of another's. They wait for nearly half of their time, so there
# are two workers for each core.
export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 2)
# `make test MATRIX=2/4` adds the second of four shares of what `make test-all` has more.
MATRIX    ?= none
PYTEST    := pytest --numprocesses auto --maxprocesses 8 --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo demo-ui demo-down demo-machines demo-machines-down demo-mesh test test-all test-failed generate gates lint types rooms collection sanity pylint galaxy docs-site pictures unit integration cores bench lfs-server kubernetes helm community docker-engine debian python-tools axe receptor test-tools awx awx-down torture fuzz coverage mutants lock release-check build ee clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# --- set-up ----------------------------------------------------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; \
	say which one with: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Installing into $(VENV); this takes about a minute."
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml hatch_build.py | $(BIN)/python
	$(INSTALL) --editable .
	@touch $@

$(PROVISIONED): pyproject.toml hatch_build.py | $(BIN)/python
	@echo "Installing ansible-core, aiohttp and some 60 others, from pip's cache or the network; pip says nothing meanwhile."
	$(INSTALL) --editable '.[provision]'
	@touch $(INSTALLED) $@

$(EQUIPPED): pyproject.toml hatch_build.py $(LOCK) | $(BIN)/python
ifneq ($(LOCK),) # it names all that there is to install, so that pip has nothing to find out
	$(INSTALL) --no-deps --requirement $(LOCK)
	$(INSTALL) --no-deps --no-build-isolation --editable .
else
	$(INSTALL) --editable '.[dev]'
endif
	@touch $(INSTALLED) $(PROVISIONED) $@

# --- the two commands ------------------------------------------------------------------------------------------------

$(GUESTBOOK): # a copy, so that its status does not show up among the changes of this repository
	@mkdir -p $(BUILD)
	$(PYTHON) examples/copy.py examples/guestbook $@ port=8780 app_port=8781
	echo 'environments: {}' > $@/ensemble-project.yaml # a project of its own, which pages show

demo: $(INSTALLED) $(GUESTBOOK) ## Deploy the example, a guestbook, and look at it
	ansible-ensemble deploy --approve $(GUESTBOOK)/ensemble.yaml
	python $(GUESTBOOK)/visit.py $$(ansible-ensemble outputs --raw url $(GUESTBOOK)/ensemble.yaml)
	@echo
	@echo "The guestbook is up, at $$(ansible-ensemble outputs --raw url $(GUESTBOOK)/ensemble.yaml). Try next:"
	@echo "  . $(BIN)/activate && cd $(GUESTBOOK)"
	@echo "  ansible-ensemble status"
	@echo "  ansible-ensemble plan --input title='Our guests'"
	@echo "  ansible-playbook tosca.ensemble.check -e ensemble=ensemble.yaml"
	@echo "  ansible-ensemble undeploy          # or here: make demo-down"

demo-ui: demo ## Deploy the example, and show it in a browser
	$(INSTALL) --editable '.[ui]'
	ansible-ensemble ui $(GUESTBOOK)

demo-down: $(INSTALLED) $(GUESTBOOK) ## Take the example down
	ansible-ensemble undeploy --approve $(GUESTBOOK)/ensemble.yaml

$(MACHINES):
	@mkdir -p $(BUILD)
	$(PYTHON) examples/copy.py examples/machines $@ port=8790 site_ports=8791,8792,8793

demo-machines: $(PROVISIONED) $(MACHINES) ## Deploy the example of machines: a server, three of them, a site on each
	@echo "Starting a server, and three machines that boot twice and go through their workflow; this takes about a minute."
	ansible-ensemble deploy --approve $(MACHINES)/ensemble.yaml
	python $(MACHINES)/visit.py $$(sed -n 's/^ *site_ports: \[\(.*\)\]/\1/p' $(MACHINES)/ensemble.yaml | tr -d ,)
	@echo
	@echo "Three machines went through their workflow, and their sites are up. Try next:"
	@echo "  . $(BIN)/activate && cd $(MACHINES)"
	@echo "  ansible-ensemble status"
	@echo "  ansible-ensemble check"
	@echo "  ansible-ensemble undeploy          # or here: make demo-machines-down"

demo-machines-down: $(PROVISIONED) $(MACHINES) ## Take the example of machines down
	ansible-ensemble undeploy --approve $(MACHINES)/ensemble.yaml

demo-mesh: $(INSTALLED) $(BUILD)/receptor ## Deploy over three nodes of a Receptor mesh, one of which is killed in the middle
	rm -rf $(MESH)
	cp -r examples/mesh $(MESH)
	RECEPTOR=$(CURDIR)/$(BUILD)/receptor python $(MESH)/demo.py

test: $(EQUIPPED) ## Run the gates and the tests, some minutes; the end lists what failed, and how to repeat it
	$(PYTEST) --matrix $(MATRIX)

test-all: $(EQUIPPED) ## The same, and what takes long: whole pages and sites typed out, Galaxy, molecule, other cores
	$(PYTEST)

test-failed: $(EQUIPPED) ## Repeat what failed last
	$(PYTEST) --last-failed --last-failed-no-failures none || [ $$? = 5 ] # there was none

generate: $(EQUIPPED) ## Regenerate what is made from tables in the code: options, reasons, functions
	python tests/generate.py
	python -m ansible_ensemble.functions.reference > docs/expressions.md

# --- gates -----------------------------------------------------------------------------------------------------------

gates: $(EQUIPPED) ## Run the gates that can answer otherwise than last time, side by side
	$(PYTEST) --dist load --maxschedchunk 1 --matrix none tests/gates

lint: $(EQUIPPED) ## Style of Python and YAML, and code that nothing uses
	ruff check .
	ruff format --check .
	yamllint --strict .
	vulture

types: $(EQUIPPED) ## Types
	mypy

rooms: $(EQUIPPED) ## Direction of imports
	lint-imports

collection: $(EQUIPPED) ## Lint of the collection, its documentation and its changelog
	ansible-lint
	cd $(SITE) && HOME=$(CURDIR)/$(BUILD) antsibull-docs lint-collection-docs --plugin-docs --validate-collection-refs self .
	cd $(SITE) && antsibull-changelog lint

sanity: $(EQUIPPED) ## Ansible's sanity tests but pylint, over what the collection's tarball holds
	tests/sanity/run --skip-test pylint

pylint: $(EQUIPPED) ## Ansible's sanity test pylint, which takes as long as all others
	tests/sanity/run --test pylint

galaxy: $(EQUIPPED) ## Import of the collection, as by Galaxy and Automation Hub
	tests/galaxy/run

# --- tests -----------------------------------------------------------------------------------------------------------

unit: $(EQUIPPED) ## Unit tests, and the rules of deploy as data
	$(PYTEST) tests/unit tests/rules

integration: $(EQUIPPED) ## Integration tests, packaging included
	$(PYTEST) tests/integration

cores: $(EQUIPPED) ## Tests of execution with the other Pythons here, on the oldest and the newest ansible-core
	tests/cores/run

bench: $(EQUIPPED) ## Measurements
	pytest tests/bench/bench_*.py --benchmark-only
	python tests/bench/bench_process.py
	python tests/bench/bench_plan.py
	python tests/bench/bench_deploy.py
	python tests/bench/bench_mesh.py
	python -m tests.bench.bench_mesh_simulation
	python tests/bench/bench_provision.py
	python tests/bench/bench_provision_store.py
	python tests/bench/bench_provision_scale.py
	python tests/bench/bench_provision_scale.py --postgres
	python tests/bench/bench_kubernetes.py
	python tests/bench/bench_resources.py
	python tests/bench/bench_remote.py
	python tests/bench/bench_ui.py

test-tools: lfs-server kubernetes helm community python-tools docker-engine docker-compose debian axe ## The nine that follow, all at once; on Debian, with Go and npm

lfs-server: $(BUILD)/lfstest-gitserver ## The LFS server that tests of the global lock want; on Debian, with Go

$(BUILD)/lfstest-gitserver:
	tests/lfs/build $@

kubernetes: $(BUILD)/kubernetes/.built ## The Kubernetes API server that tests want, with etcd and controllers; with Go

$(BUILD)/kubernetes/.built: tests/kubernetes/go.mod
	tests/kubernetes/build $(@D)

helm: $(BUILD)/helm ## Helm, which tests of releases want; with Go

$(BUILD)/helm:
	tests/helm/build $@

community: $(BUILD)/community ## The collections of the package ansible, on which tests try the fast lane

$(BUILD)/community: | $(EQUIPPED)
	$(INSTALL) --no-deps --target $@.new 'ansible==12.*'
	mv $@.new $@

python-tools: $(BUILD)/python-tools ## supervisord, octodns and ARA, for tests that use them

$(BUILD)/python-tools: | $(EQUIPPED)
	$(INSTALL) $(LOCK:%=--constraint %) --target $@.new supervisor octodns octodns-bind 'ara[server]' prettytable
	mv $@.new $@

docker-engine: $(BUILD)/docker ## The Docker engine that tests of docker.* start, as root; on Debian

$(BUILD)/docker:
	tests/docker/install $@

docker-compose: $(BUILD)/compose/cli-plugins/docker-compose ## Docker's plugin compose, for tests of docker.Compose; with Go

$(BUILD)/compose/cli-plugins/docker-compose: tests/compose/go.mod
	tests/compose/build $@

debian: $(BUILD)/debian ## The Debian of hosts that get packages, users and services, as root; on Debian

$(BUILD)/debian:
	tests/debian/build $@

axe: $(BUILD)/axe ## What looks for pages that not everybody can use; with npm

$(BUILD)/axe:
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix $@.new axe-core@4.10.3
	mv $@.new $@

receptor: $(BUILD)/receptor ## Receptor, which tests of the mesh want; of its sources in RECEPTOR_SOURCE with Go, or the installed one

$(BUILD)/receptor:
	tests/receptor/build $(RECEPTOR_SOURCE) $@

awx: $(AWX)/.built $(BUILD)/community ## AWX with all that it needs, for pytest tests/awx; of its sources in AWX_SOURCE, as root
	tests/awx/up $(AWX)

awx-down: ## End it; the next one begins with nothing in it
	tests/awx/down $(AWX)

$(AWX)/.built:
	tests/awx/build $(AWX_SOURCE)/sources $(AWX)

torture: $(EQUIPPED) ## Kill, fill, break and race; TORTURE_ROUNDS says how often
	TORTURE_ROUNDS=$${TORTURE_ROUNDS:-200} TORTURE_SEEDS=10000 pytest tests/integration/jobs/torture \
		tests/integration/mesh/torture tests/integration/provision/torture tests/simulation

fuzz: $(EQUIPPED) ## Search for input that breaks a promise; FUZZ_SECONDS says how long
	tests/fuzz/run $${FUZZ_SECONDS:-1200}

coverage: $(EQUIPPED) ## How much of the package the unit tests run, and the files of which they run less than 85 %
	$(PYTEST) --cov=ansible_ensemble --cov-branch --cov-report= tests/unit tests/rules
	coverage report --format=total
	coverage json --quiet -o $(BUILD)/coverage.json
	python tests/coverage/below.py $(BUILD)/coverage.json 85

mutants: $(EQUIPPED) ## Small changes that no unit test notices; MUTANTS_SECONDS and MUTANTS_SEED say how long and which
	python tests/mutants/run.py $${MUTANTS_SECONDS:-300} $${MUTANTS_SEED:-1}

# --- what is delivered -----------------------------------------------------------------------------------------------

docs-site: $(EQUIPPED) ## The documentation as a site that can be searched without a network, in .build/site/html
	docsite/build $(CURDIR)/$(BUILD)/site
	@echo "Open $(CURDIR)/$(BUILD)/site/html/index.html"

pictures: $(EQUIPPED) ## The pictures of pages in docs/pictures, taken anew in Chromium
	python docsite/pictures.py docs/pictures

lock: ## Write requirements-dev.lock anew, with the newest versions; needs uv
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --no-header --no-annotate \
		--output-file requirements-dev.lock pyproject.toml

release-check: $(EQUIPPED) ## Whether all that a release consists of agrees
	python tests/release/check.py

build: $(EQUIPPED) ## Wheel, source distribution and collection tarball, in dist/
	rm -rf dist
	python -m build --outdir dist .
	ansible-galaxy collection build --output-path dist .
	@ls -l dist

ee: build ## The build context of an execution environment, in .build/ee; podman or docker build the image of it
	rm -rf $(BUILD)/ee
	ansible-builder create --output-filename Containerfile --context $(BUILD)/ee
	@echo "Next: podman build --tag ansible-ensemble-ee $(BUILD)/ee"

clean: ## Remove what was made
	rm -rf $(VENV) $(BUILD) dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
