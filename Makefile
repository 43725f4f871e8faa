# SPDX-License-Identifier: MIT OR Apache-2.0
# Everything a user or developer does with this repository has a target here; `make help` lists them.

CARGO ?= cargo
# Where cargo puts what it builds.
BIN = $(or $(CARGO_TARGET_DIR),target)/release/fresco
# Scenarios of the main job.
DEMO = scenarios/palloc-fig4.toml scenarios/camc-fig2.6.toml scenarios/camc-fig2.7.toml

.DEFAULT_GOAL := help
.PHONY: help build demo test check fmt clippy unit docs ids readme deny bench soak fuzz install clean
.PHONY: kernel-image kernel-boot kernel-check kernel-quick kernel-test kernel-soak kernel-variants kernel-series

help: ## This list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## The fresco program, optimised, and the library of `fresco run`: target/release/fresco, libfresco_preload.so
	$(CARGO) build --release --locked -p fresco -p fresco-preload

demo: build ## The main job: what colouring does to memory interference; ends in out/demo/index.html
	$(BIN) sim $(DEMO) --out out/demo

test: fmt clippy unit docs ids readme kernel-quick ## Every check that CI runs

fmt: ## Is the code formatted?
	$(CARGO) fmt --all --check

clippy: ## Lints, warnings denied
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

unit: ## Unit, property, golden and command-line tests
	$(CARGO) build --locked -p fresco-preload
	$(CARGO) test --workspace --locked
	scripts/kernel-record --test

docs: ## The API documentation builds without a warning
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

ids: ## Every requirement id cited is explained in docs/requirements.md
	scripts/check-ids --test
	scripts/check-ids

readme: build ## The commands in README.md and docs/ do what they say
	scripts/check-docs --test
	scripts/check-docs

deny: ## Licences and advisories of the dependencies (needs cargo-deny)
	$(CARGO) deny check licenses bans sources

bench: ## Speed of the memory core and of a whole run: instructions per request (needs valgrind), criterion times
	scripts/bench-instructions
	scripts/bench-system
	$(CARGO) bench -p fresco-memory --locked

soak: ## 10^8 commands of random traffic on every standard through the timing checker; 10^5 random task sets; 10^8 page requests; 11,000 adversaries of map detection (ten minutes)
	$(CARGO) run --release --locked -p fresco-memory --example soak
	$(CARGO) run --release --locked -p fresco-rt --example soundness -- 100000
	$(CARGO) run --release --locked -p fresco-system --example memguard_mixes -- 200
	$(CARGO) run --release --locked -p fresco-detect --example adversaries -- 1000
	FRESCO_STEPS=10000000 $(CARGO) test --release --locked -p fresco-frames --test millions

fuzz: ## Every parser under a fuzzer for a minute each (needs nightly and cargo-fuzz)
	scripts/fuzz

kernel-image: ## Linux 6.12 with coloured memory (kernel/): fetched, patched, built; prints where the image is
	scripts/kernel-image

kernel-boot: ## A shell on that kernel in QEMU: 16 CPUs, 4 nodes
	scripts/kernel-boot

kernel-check: ## That kernel is built and booted in QEMU: KUnit, selftests of one map, demotion, checkpatch (minutes; the first time a kernel's build)
	scripts/kernel-test quick kunit demotion series

kernel-quick: # kernel-check as a part of CI: what is missing is no fault of the code, and is told
	@scripts/kernel-test quick kunit demotion series; status=$$?; [ $$status -eq 3 ] || exit $$status; \
		echo "kernel-quick: NOT RUN: the kernel was neither built nor tested, see above for the Debian packages that are missing"

kernel-test: ## KUnit, selftests on three maps, fresco run, random steps, instructions per page fault, checkpatch
	scripts/kernel-test

kernel-soak: ## What takes longer: a million random steps, CPUs that run at the same time, the kernel with KASAN and lockdep, arm64, and kernel-variants
	scripts/kernel-test soak
	scripts/kernel-variants

kernel-variants: ## What the patches touch compiled without NUMA, SMP, huge pages, for arm64, with W=1 and sparse, patch by patch
	scripts/kernel-variants

kernel-series: ## The kernel patches as one series with a cover letter: out/kernel-series
	scripts/kernel-series out/kernel-series

install: build ## fresco, its library and its manual pages under PREFIX (default /usr/local)
	install -D $(BIN) $(DESTDIR)$(or $(PREFIX),/usr/local)/bin/fresco
	install -D -m 644 $(dir $(BIN))libfresco_preload.so $(DESTDIR)$(or $(PREFIX),/usr/local)/lib/fresco/libfresco_preload.so
	mkdir -p $(DESTDIR)$(or $(PREFIX),/usr/local)/share/man/man1
	$(BIN) man --out $(DESTDIR)$(or $(PREFIX),/usr/local)/share/man/man1

clean: ## Build products and reports
	$(CARGO) clean
	rm -rf out
