# SPDX-License-Identifier: MIT OR Apache-2.0
# Everything a user or developer does with this repository has a target here; `make help` lists them.

CARGO ?= cargo
# Says first what is done and how long that takes, then every 20 s what it is at.
TIMED = @scripts/timed
# Where cargo puts what it builds.
BIN = $(or $(CARGO_TARGET_DIR),target)/release/fresco
# Where `make install` puts what it installs, and what takes debug information, two thirds of the size, out of that; names of functions,
# which backtraces and profiles tell, stay.
INTO = $(DESTDIR)$(or $(PREFIX),/usr/local)
STRIP ?= strip
# Tests that were skipped, a line each.
SKIPPED = $(abspath $(or $(CARGO_TARGET_DIR),target))/skipped
# What the steps of `make test` print that run beside those that compile.
BESIDE = $(abspath $(or $(CARGO_TARGET_DIR),target))/beside
# The program as the tests have it: with every debug assertion on.
TESTED = $(or $(CARGO_TARGET_DIR),target)/debug/fresco
# Crates that can be published, each after those that it needs.
PUBLISHED = fresco-streams fresco-input fresco-dram fresco-machine fresco-memory fresco-rt
# Scenarios of the main job.
DEMO = scenarios/palloc-fig4.toml scenarios/camc-fig2.6.toml scenarios/camc-fig2.7.toml

.DEFAULT_GOAL := help
.PHONY: wheel python-test publish-check programs programs-check help build demo test test-rust test-beside check fmt clippy tests-built unit docs site scripts ids readme deny
.PHONY: bench soak claims claims-quick fuzz install deb clean
.PHONY: kernel-image kernel-boot kernel-patches kernel-check kernel-test kernel-soak kernel-variants kernel-series
.PHONY: kernel-deb kernel-deb-boot

help: ## This list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## The fresco program, optimised, the libraries of `fresco run` and `fresco record`, and the C library: target/release/
	$(TIMED) build "compiles Fresco, optimised: some 2 minutes from nothing" \
		$(CARGO) build --release --locked -p fresco -p fresco-preload -p fresco-qemu-plugin -p fresco-c
	@if command -v $(or $(CC),cc) >/dev/null; then scripts/c-library $(dir $(BIN))libfresco_c.a $(dir $(BIN)); \
		else echo "build: no C compiler: libfresco.so is not linked"; fi

demo: build ## The main job: what coloring does to memory interference; ends in out/demo/index.html
	$(TIMED) demo "simulates the main experiments: about a minute" $(BIN) sim $(DEMO) --out out/demo

test: ## Every check but those that build a kernel: fmt clippy unit docs readme scripts ids kernel-patches
	$(TIMED) -q test "every check but those that build a kernel: some 17 minutes on two idle cores from nothing" \
		env GNUMAKEFLAGS=--no-print-directory scripts/lanes -1 2 $(BESIDE) $(MAKE) test-rust test-beside

# Tests are compiled first, and lints and documentation beside them when they run: some wait more than they compute. Cargo keeps those that
# compile apart: clippy waits for tests-built.
test-rust: fmt unit
test-beside: scripts ids kernel-patches clippy docs readme

check: fmt clippy ## The inner loop, at most three minutes when little changed: format, lints, unit tests of the libraries
	$(TIMED) check "unit tests of the libraries: about a minute" $(CARGO) test --workspace --lib --bins --locked --quiet

fmt: ## Is the code formatted?
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path kernel/schedulers/Cargo.toml --check

clippy: ## Lints, warnings denied
	$(TIMED) clippy "lints of all crates: some 2 minutes from nothing" \
		$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# One build for the tests, the library that they put before programs, and the program that the pages' commands run. Other examples
# than the one that tests start are for `make soak` and the like, and clippy compiles them.
tests-built:
	@mkdir -p $(BESIDE)
	$(TIMED) tests-built "compiles all tests: some 6 minutes from nothing" sh -c \
		'$(CARGO) build --workspace --lib --bins --tests --example memory_user --locked --message-format json-render-diagnostics \
		> $(BESIDE)/messages.$$$$ && mv $(BESIDE)/messages.$$$$ $(BESIDE)/messages'

unit: tests-built ## Unit, property, golden and command-line tests
	@rm -f $(SKIPPED)
	$(TIMED) unit "runs the tests: some 8 minutes" env FRESCO_SKIPPED=$(SKIPPED) scripts/tests $(BESIDE)
	@[ ! -s $(SKIPPED) ] || { echo "unit: $$(wc -l < $(SKIPPED)) tests were skipped (FRESCO_REQUIRE=all makes that a failure):"; cat $(SKIPPED); }
	$(TIMED) doc-tests "runs the examples of the API documentation" $(CARGO) test --workspace --doc --locked

scripts: ## The scripts do what they say
	scripts/kernel-record --test
	scripts/kernel-deb-boot --test
	scripts/timed --test
	scripts/lanes --test
	scripts/tests --test
	scripts/kernel-limits --test
	scripts/kernel-test --test
	scripts/claims-check --test
	scripts/refresh-record --test
	scripts/install-share --test
	scripts/check-share --test

docs: ## The API documentation builds without a warning
	$(TIMED) docs "builds the API documentation: about a minute" \
		env RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

site: ## The pages and the API documentation as a web site that needs no network: out/site/index.html
	$(TIMED) -q site "builds the pages and the API documentation: about 2 minutes, 5 more the first time" scripts/site out/site
	scripts/check-site out/site

ids: ## Every requirement id cited is explained in docs/requirements.md
	scripts/check-ids --test
	scripts/check-ids
	scripts/site --test
	scripts/check-site --test

readme: tests-built ## The commands in README.md and docs/ do what they say; what is installed of them stands for itself
	scripts/check-docs --test
	env FRESCO=$(TESTED) scripts/check-share
	$(TIMED) readme "runs the commands of README.md and docs/: about a minute" env FRESCO=$(TESTED) scripts/check-docs

wheel: ## The Python module as a wheel: target/wheels/ (needs maturin, which an environment of its own gets)
	$(TIMED) -q wheel "compiles the Python module: some 3 minutes from nothing" scripts/python-test --wheel

python-test: build ## The Python module by this machine's Python and another one: tests, examples of the documentation, notebooks
	$(TIMED) -q python-test "builds the wheel and tests it: some 5 minutes from nothing" env FRESCO=$(BIN) scripts/python-test

publish-check: ## The crates that can be published are packed, and compile from what was packed
	$(TIMED) publish-check "packs and compiles six crates: about a minute" \
		$(CARGO) publish --dry-run --locked $(PUBLISHED:%=-p %)

deny: ## Licences and advisories of the dependencies (needs cargo-deny)
	$(CARGO) deny check licenses bans sources

programs: build ## The gallery: records real programs (Debian packages) into out/programs and measures their misses: half an hour
	$(TIMED) -q programs "records the programs whose packages are installed: half an hour" $(BIN) programs record --out out/programs

programs-check: build ## What `make programs` recorded, counted by other means and recorded once more
	$(TIMED) programs-check "counts and records each program once more: half an hour" env FRESCO=$(BIN) scripts/programs-check out/programs

bench: ## Speed of the memory core, of its interfaces for C and Python and of a whole run: instructions per request (needs valgrind), criterion times
	$(TIMED) bench-instructions "instructions per request; all that follows takes some 10 minutes" scripts/bench-instructions
	$(TIMED) bench-c "instructions per request through the C interface" scripts/bench-c
	$(TIMED) bench-python "instructions through Python, beside the program and the core" scripts/bench-python
	$(TIMED) bench-system "instructions of whole runs" scripts/bench-system
	$(TIMED) bench "criterion's times" $(CARGO) bench -p fresco-memory --locked

soak: ## 10^8 commands of random traffic on every standard through the timing checker; 10^5 random task sets; 10^5 plans through a judge of their own (JUDGED: how many); 10^4 scenarios within their bounds (BOUNDS: how many); 10^5 points of a sweep, and one killed at twenty moments, and one by Slurm; 10^8 page requests; 11,000 adversaries of map detection (an hour)
	$(TIMED) soak "10^8 commands of random traffic; all that follows takes an hour once it is compiled" $(CARGO) run --release --locked -p fresco-memory --example soak
	$(TIMED) soundness "10^5 random sets of tasks" $(CARGO) run --release --locked -p fresco-rt --example soundness -- 100000
	$(TIMED) judged "10^5 plans, judged: some 15 minutes on two idle cores" $(CARGO) run --release --locked -p fresco-plan --example judged -- $(or $(JUDGED),100000)
	$(TIMED) bounds "10^4 scenarios of each kind within their bounds: some 25 minutes on two idle cores" env BOUND_SCENARIOS=$(or $(BOUNDS),10000) $(CARGO) test --locked -p fresco --test all bound_random -- --nocapture
	$(TIMED) reads "10^5 memories: no read is longer than its bound" env BOUND_RUNS=100000 $(CARGO) test --release --locked -p fresco-bound --test all observed
	$(TIMED) sweep "a sweep of 100,000 points, once whole and once in shards" $(CARGO) run --release --locked -p fresco-sweep --example overhead -- 100000 1 2 crates/fresco-system/tests/data/small.toml
	$(TIMED) sweep-killed "a sweep killed at twenty moments" env SWEEP_KILLS=20 $(CARGO) test --locked -p fresco --test all sweep::killed
	$(TIMED) memguard "200 mixes under budgets" $(CARGO) run --release --locked -p fresco-system --example memguard_mixes -- 200
	$(TIMED) names "names of address functions at four levels of noise" env FRESCO_LEVELS=all $(CARGO) test --locked -p fresco-system --test all names::
	$(TIMED) maps "maps of all machines found at four levels of noise" env FRESCO_LEVELS=all $(CARGO) test --locked -p fresco --bin fresco is_found_from_timing
	$(TIMED) adversaries "11,000 adversaries of map detection" $(CARGO) run --release --locked -p fresco-detect --example adversaries -- 1000
	$(MAKE) --no-print-directory deb
	$(TIMED) slurm "a sweep by a Slurm of one node, where Slurm is installed" scripts/slurm-check $(BIN)
	$(TIMED) millions "10^8 page requests" env FRESCO_STEPS=10000000 $(CARGO) test --release --locked -p fresco-frames --test all millions

claims: build ## All claims of the papers, in three other worlds as well (out/claims/index.html): an hour and more
	$(TIMED) claims "runs all experiments four times: an hour and more" $(BIN) reproduce --perturb 3 --out out/claims
	scripts/claims-check out/claims/results.json

claims-quick: build ## What a minute tells of the claims (out/claims-quick/index.html), and whether verdicts can fail
	$(TIMED) claims-quick "runs short experiments: about a minute on two idle cores" $(BIN) reproduce --quick --out out/claims-quick > /dev/null
	scripts/claims-check out/claims-quick/results.json

fuzz: ## Every parser under a fuzzer for a minute each (needs nightly and cargo-fuzz)
	$(TIMED) fuzz "a minute for each parser, after some minutes of compilation" scripts/fuzz

kernel-image: ## Linux 6.12 with colored memory (kernel/): fetched, patched, built; prints where the image is
	$(TIMED) -q kernel-image "fetches, patches and builds Linux 6.12: some 12 minutes on two idle cores from nothing" scripts/kernel-image

kernel-boot: ## A shell on that kernel in QEMU: 16 CPUs, 4 nodes
	$(TIMED) -q kernel-boot "a shell on that kernel, which is built first if it is not: some 12 minutes" scripts/kernel-boot

kernel-patches: ## The kernel patches apply to Debian's source, checkpatch has nothing to say, the record of measurements is of them
	scripts/kernel-patches --test
	$(TIMED) kernel-patches "applies the kernel patches and runs checkpatch: about a minute, three with the source to fetch" \
		scripts/kernel-patches || [ $$? -eq 3 ]

kernel-check: ## That kernel is built and booted in QEMU: KUnit, selftests of one map, demotion, two programs recorded, checkpatch; budgets of bandwidth on Debian's own
	$(TIMED) -q kernel-check "builds the kernel and tests it in QEMU: some 25 minutes on two idle cores from nothing, 10 when it is built" \
		scripts/kernel-test quick parallel kunit memguard-quick in-loop-quick demotion series

kernel-test: ## KUnit, selftests on three maps, budgets of bandwidth, refresh windows and schedulers on Debian's own kernels, fresco run, random steps, instructions per page fault, checkpatch
	$(TIMED) -q kernel-test "builds two kernels and tests them in QEMU: some 35 minutes on two idle cores from nothing" scripts/kernel-test

kernel-soak: ## What takes longer: a million random steps, CPUs that run at the same time, the kernel with KASAN and lockdep, arm64, an hour of random system calls, kernel-variants and kernel-deb-boot
	$(TIMED) -q kernel-soak "hours of tests in QEMU" scripts/kernel-test soak
	$(TIMED) -q kernel-variants "compiles what the patches touch in seven ways" scripts/kernel-variants
	$(TIMED) -q kernel-deb-boot "builds packages, boots them and starts services in colors" scripts/kernel-deb-boot
	$(TIMED) -q kernel-deb-boot-vm "the same with what Debian's kernel for virtual machines builds in" env CONFIG=vm scripts/kernel-deb-boot

kernel-variants: ## What the patches touch compiled without NUMA, SMP, huge pages, for arm64, with W=1 and sparse, patch by patch
	$(TIMED) kernel-variants "compiles what the patches touch in seven ways: some 15 minutes from nothing" scripts/kernel-variants

kernel-series: ## The kernel patches as one series with a cover letter: out/kernel-series
	$(TIMED) kernel-series "writes the series: a few seconds, two minutes with the source to fetch" scripts/kernel-series out/kernel-series

kernel-deb: ## Debian packages of that kernel in Debian's own configuration, hours (CONFIG=cloud, vm, test: less): out/kernel-deb
	scripts/kernel-deb $(or $(CONFIG),amd64) out/kernel-deb

kernel-deb-boot: ## Such packages (CONFIG=test) on a Debian system in QEMU: docs/deploy.md from the boot parameter to services in colors
	$(TIMED) -q kernel-deb-boot "builds packages and a Debian system, boots it, starts services in colors: half an hour from nothing" \
		env CONFIG=$(or $(CONFIG),test) scripts/kernel-deb-boot

install: build ## fresco, its libraries, the C library with header and adapters, manual pages, completions, documentation, examples and licences under PREFIX (default /usr/local); STRIP= keeps debug information
	install -D $(BIN) $(INTO)/bin/fresco
	install -D -m 644 $(dir $(BIN))libfresco_preload.so $(INTO)/lib/fresco/libfresco_preload.so
	install -D -m 644 $(dir $(BIN))libfresco_qemu_plugin.so $(INTO)/lib/fresco/libfresco_qemu_plugin.so
	STRIP="$(STRIP)" scripts/c-install $(dir $(BIN))libfresco_c.a $(or $(PREFIX),/usr/local) $(DESTDIR)
	$(if $(STRIP),$(STRIP) --strip-debug $(INTO)/bin/fresco $(INTO)/lib/fresco/*.so)
	scripts/install-share $(BIN) "$(DESTDIR)" $(or $(PREFIX),/usr/local)

deb: build ## A Debian package of what is installed: out/deb
	rm -rf out/deb
	$(MAKE) --no-print-directory install DESTDIR=$(CURDIR)/out/deb/root PREFIX=/usr
	$(TIMED) deb "makes the package: half a minute, some minutes the first time, to compile cargo-deb" scripts/deb out/deb
	scripts/deb-check out/deb/*.deb

clean: ## Build products and reports
	$(CARGO) clean
	rm -rf out
