# What users and contributors run. `make` alone prints the targets. Works with GNU make 3.81 and later.

PREFIX = /usr/local
DESTDIR =
HOST =
ARGS =
# What `make fuzz` runs: targets, `--`, options of libFuzzer; and how many times as many seeds the property tests get (0: none run).
FUZZ =
SEEDS = 20
# Which tests are run: a regular expression for `swift test --filter`, such as TLSProbeTests.
FILTER =
# Which targets of tests are built for the address sanitizer: names of directories below Tests; all of them without a name.
TESTS =
SWIFT = swift
# What builds the articles: beside the compiler where it can be found there.
DOCC = $$(ls "$$(dirname "$$(command -v $(SWIFT) || echo /)")/docc" 2>/dev/null || command -v docc || xcrun --find docc 2>/dev/null)
# How often `make bench` measures, and the file for its figures.
ROUNDS = 30
BENCH_JSON =
# What the draw of `make mutants` depends on, and the commit since which files have changed for `make thorough`.
SEED = 1
BASE = HEAD~10

# How many tests run at once. Swift Testing starts all of them together unless it is told, so that each waits for all others while
# its deadlines and its time limit run; what waits for the network leaves room for two more than there are processors. Swift 6.2
# does not know the variable and runs one test after the other.
WIDTH := $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 2 )))
TEST = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(WIDTH) $(SWIFT) test $(BUILD_FLAGS) --disable-xctest \
    $(shell $(SWIFT) --version 2>/dev/null | grep -q 'Swift version 6\.2' && echo --no-parallel) $(if $(FILTER),--filter '$(FILTER)')
# `make demo`, `make test` and `swift test` share one build, a debug build: assertions are on, and an unoptimised release takes as long.

BINARY = .build/release/pincheck
SHARE = $(DESTDIR)$(PREFIX)/share
SOURCES = Sources Tests Package.swift
# The libraries of the system, as pkg-config, apt and brew name them; they are those of Package.swift, and libarchive, which
# pincheck loads when it reads an .ipa. macOS has that one.
MODULES = 'openssl >= 3.0' libpsl libidn2 expat libarchive
APT_PACKAGES = pkg-config libssl-dev libpsl-dev libidn2-dev libexpat1-dev libarchive-dev
BREW_PACKAGES = openssl@3 libpsl libidn2 expat
SYSTEM := $(shell uname -s)

# Functions that destroy closures have no names to be ordered by: together they take 1 MiB less memory in a check.
GROUPS = .build/static/groups.ld

# The Swift runtime goes into the binary, which then runs on machines without Swift. OpenSSL stays the system's, with its updates.
ifeq ($(SYSTEM),Darwin)
RELEASE_FLAGS = -c release
STRIP = strip -x
else
# Half of a check is loading the program, so it exports nothing and brings the C++ runtime that Swift's needs along (0.8 ms and 2 MiB less
# than the shared one). Types of known generic arguments are made by what made those, not by their names, which costs a search through all
# conformances of the program for each requirement (a sixth of a check). Each function has a section of its own: what nothing calls
# is left out, and what an ordinary check calls is together where `make order` recorded it (5 MiB less), and none is taken
# together with another that does the same, which would leave both without a name. Small code is read faster than inlined
# code here, and compiled faster, a big module by several threads (15 % of the build). lld, of the same toolchain, does not warn of
# a function of Foundation that nothing calls. It looks for no library beside itself. Nothing says
# where it was built, and no hash is made of that (of modules for incremental compilation, of the whole): two builds are the same.
LIBSTDCXX := $(shell clang -print-file-name=libstdc++.a 2>/dev/null)
# A name that is no more is passed over.
ORDER = .build/functions.order
RECORD = Tests/Benchmarks/order $(BINARY) >$(ORDER).new && mv $(ORDER).new $(ORDER)
ORDERED = $(if $(wildcard $(ORDER)),-Xlinker --symbol-ordering-file=$(ORDER) -Xlinker --no-warn-symbol-ordering)
RELEASE_FLAGS = -c release -debug-info-format none --static-swift-stdlib --disable-local-rpath -Xcc -ffile-prefix-map='$(CURDIR)/=' -Xswiftc -file-prefix-map -Xswiftc '$(CURDIR)/=' \
    -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --build-id=none -Xlinker -T -Xlinker $(GROUPS) -Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xswiftc -L.build/static \
    -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
    -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -Xfrontend -Xswiftc -disable-llvm-merge-functions-pass -Xswiftc -Osize -Xswiftc -num-threads -Xswiftc 4 $(ORDERED)
STRIP = strip
endif

.PHONY: help demo test thorough mutants build manual docs install uninstall deb tarball check bench order asan tsan fuzz properties lint format clean host toolchain libraries ordered

help: ## print this list
	@echo "usage: make TARGET"
	@echo
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  \1|\2/p' Makefile | while IFS='|' read -r name text; do \
	    printf '  %-9s  %s\n' "$$name" "$$text"; \
	done

demo: libraries ## install what is missing, build, and check throwaway servers on loopback
	$(SWIFT) build $(BUILD_FLAGS) --product pincheck
	@.build/debug/pincheck demo

test: libraries lint ## install what is missing, lint, and run every test (FILTER=TLSProbeTests: those)
	$(TEST)

thorough: libraries ## run what takes longer than the tests: fuzzers, many seeds, articles, packages, other shells (BASE=HEAD~10)
	BASE='$(BASE)' Tests/thorough

mutants: libraries ## break 150 guards of the sources, one at a time, and run the tests that should notice; some hours (SEED=1)
	Tests/Mutations/mutate --seed '$(SEED)'

build: libraries ## build the release binary, .build/release/pincheck
# The linker takes the archive where it finds no shared library beside it.
	@mkdir -p .build/static && if [ -f "$(LIBSTDCXX)" ]; then ln -sf "$(LIBSTDCXX)" .build/static/; fi
	@echo 'SECTIONS { .text.destroy : { *(.text..Lobjectdestroy*) } } INSERT BEFORE .text;' >$(GROUPS)
	$(SWIFT) build $(RELEASE_FLAGS) --product pincheck

manual: build ## build manual and the completions of bash, zsh and fish, .build/share
	@rm -rf .build/share && mkdir -p .build/share
	@for page in $$($(BINARY) --generate-manual); do \
	    $(BINARY) --generate-manual $$page >.build/share/$$page.1 || exit 1; \
	done
	@for shell in bash zsh fish; do \
	    $(BINARY) --generate-completion-script $$shell >.build/share/pincheck.$$shell || exit 1; \
	done

# The libraries with what their package can use, and the manual, which has articles alone. The symbols are read from the modules of the tests;
# where no test was built, the graph of what runs them is missed, and no other.
docs: libraries ## build the articles with DocC, .build/docs; a dead link is an error
	@docc=$(DOCC); \
	if [ -z "$$docc" ]; then \
	    echo "there is no docc beside $(SWIFT), nor on the PATH: it is part of the toolchains of https://www.swift.org/install" >&2; \
	    exit 1; \
	fi; \
	rm -rf .build/docs && mkdir -p .build/docs; \
	$(SWIFT) package dump-symbol-graph --skip-synthesized-members --minimum-access-level package >.build/docs/log 2>&1; \
	graphs=$$(sed -n 's/^Files written to //p' .build/docs/log); \
	for module in pincheck PinChecking Pinning; do \
	    mkdir -p .build/docs/symbols/$$module && set --; \
	    if [ -d Sources/$$module/$$module.docc ]; then set -- Sources/$$module/$$module.docc; fi; \
	    if [ $$module != pincheck ]; then cp "$$graphs/$$module.symbols.json" .build/docs/symbols/$$module/ || { cat .build/docs/log >&2; exit 1; }; fi; \
	    "$$docc" convert "$$@" --additional-symbol-graph-dir .build/docs/symbols/$$module --warnings-as-errors \
	        --fallback-display-name $$module --fallback-bundle-identifier $$module \
	        --output-path .build/docs/$$module.doccarchive >.build/docs/log 2>&1 || { cat .build/docs/log >&2; exit 1; }; \
	done
	@for text in README.md $$(find Pins Sources -name '*.md'); do \
	    grep -o '](\([^)]*\))' $$text | sed 's/^](//; s/)$$//; s/#.*//' | grep -v : | while IFS= read -r link; do \
	        if [ -n "$$link" ] && [ ! -e "$$(dirname $$text)/$$link" ]; then echo "$$text: $$link is not there" >&2; exit 1; fi; \
	    done || exit 1; \
	done
	@echo "the articles are in .build/docs: docc preview, or any web server, shows them (pincheck.doccarchive first)"

install: ## install binary, manual, schemas and completions below PREFIX (/usr/local), staged below DESTDIR
# Under sudo, root has another PATH and would leave files of its own in .build: what was built before is installed.
	@if [ -z "$${SUDO_USER:-}" ] || [ ! -x $(BINARY) ]; then $(MAKE) ordered && $(MAKE) manual; fi
	install -d "$(DESTDIR)$(PREFIX)/bin"
# Stripped before it is copied: strip writes small pieces, the page cache keeps them as such, and a check takes 4 % longer.
	@program=$(BINARY); \
	if command -v strip >/dev/null 2>&1; then \
	    program=$$(mktemp) && trap 'rm -f "$$program"' EXIT && $(STRIP) -o "$$program" $(BINARY) || exit 1; \
	else \
	    echo "there is no strip on this machine: the binary keeps its symbols and is larger than it has to be"; \
	fi; \
	install -m 755 "$$program" "$(DESTDIR)$(PREFIX)/bin/pincheck"
	@if [ ! -f .build/share/pincheck.fish ]; then \
	    echo "there is no manual yet: run 'make manual' as yourself, then 'sudo make install' again"; exit 0; \
	fi; \
	put() { install -d "$(SHARE)/$$2" && install -m 644 ".build/share/$$1" "$(SHARE)/$$2/$$3"; }; \
	for page in .build/share/*.1; do page=$${page##*/}; put $$page man/man1 $$page || exit 1; done; \
	for schema in Sources/pincheck/schemas/*.json; do put ../../$$schema pincheck/schemas $${schema##*/} || exit 1; done; \
	put pincheck.bash bash-completion/completions pincheck && \
	    put pincheck.zsh zsh/site-functions _pincheck && \
	    put pincheck.fish fish/vendor_completions.d pincheck.fish

uninstall: ## remove everything that install put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/pincheck" "$(SHARE)"/man/man1/pincheck.1 "$(SHARE)"/man/man1/pincheck-*.1 \
	    "$(SHARE)/bash-completion/completions/pincheck" "$(SHARE)/zsh/site-functions/_pincheck" \
	    "$(SHARE)/fish/vendor_completions.d/pincheck.fish" "$(SHARE)"/pincheck/schemas/*.json
	@rmdir "$(SHARE)/pincheck/schemas" "$(SHARE)/pincheck" 2>/dev/null || true

deb: ## make a Debian package of the release binary, .build/packages
	@Sources/Packaging/package deb .build/packages

tarball: ## make an archive that runs from any directory, with checksums, .build/packages
	@Sources/Packaging/package tarball .build/packages

check: host build ## check a server: make check HOST=api.example.com ARGS='--pins Pins'
	@$(BINARY) check '$(HOST)' $(ARGS)

bench: build ## measure checks next to curl; ends with an error if a goal is missed (ROUNDS=30 BENCH_JSON=FILE)
	@BENCH_JSON='$(BENCH_JSON)' Tests/Benchmarks/goals $(BINARY) $(ROUNDS)

order: build ## record which functions a check runs, for the linker to put them together (needs valgrind)
	@$(RECORD)

asan: libraries ## run the tests with the address and leak sanitizers (FILTER, TESTS)
	$(if $(TESTS),PINCHECK_TESTS='$(TESTS)') $(SWIFT) build $(BUILD_FLAGS) --product pincheckPackageTests --sanitize=address --scratch-path .build/asan
	$(if $(TESTS),PINCHECK_TESTS='$(TESTS)') LSAN_OPTIONS="suppressions='$(CURDIR)/Tests/Sanitizers/leaks.supp':print_suppressions=0" \
	    $(TEST) --skip-build --sanitize=address --scratch-path .build/asan

tsan: libraries ## run the tests with the thread sanitizer (FILTER)
	$(TEST) --sanitize=thread --scratch-path .build/tsan

fuzz: libraries ## search for longer: property tests, then the readers (SEEDS=0 FUZZ='plist -- -max_total_time=300')
	@[ '$(SEEDS)' = 0 ] || $(MAKE) --no-print-directory properties
	@Tests/Fuzz/run $(FUZZ)

lint: toolchain ## check the format and style of every source file
	$(SWIFT) format lint --strict --recursive $(SOURCES)

format: toolchain ## format every source file in place
	$(SWIFT) format --in-place --recursive $(SOURCES)

clean: ## remove everything that was built
	rm -rf .build

# Not in the list: what the targets above need.

# A property test is one that takes a seed.
properties: FILTER = seed:
properties: libraries
	PINCHECK_ROUNDS=$(SEEDS) $(TEST)

# What is installed is linked in the order of a check, recorded of this program and not of an older one.
ordered: build
	@sum() { cksum <$(BINARY); }; \
	if [ '$(SYSTEM)' = Darwin ] || [ "$$(sum)" = "$$(cat $(ORDER).sum 2>/dev/null)" ]; then :; \
	elif command -v valgrind >/dev/null && $(RECORD); then \
	    rm $(BINARY) && $(MAKE) build && sum >$(ORDER).sum; \
	else \
	    echo "the order of functions was not recorded, which needs valgrind, curl and cc: a check takes 5 MiB more memory"; \
	fi

host:
	@if [ -z '$(HOST)' ]; then echo "say which server: make check HOST=api.example.com" >&2; exit 64; fi

toolchain:
	@version=$$($(SWIFT) --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\)\.\([0-9][0-9]*\).*/\1 \2/p'); \
	set -- $$version; \
	if [ $$# -lt 2 ]; then \
	    echo "pincheck is built with Swift 6.2 or later, and there is no working swift here: see https://www.swift.org/install" >&2; \
	    exit 1; \
	elif [ "$$1" -lt 6 ] || { [ "$$1" -eq 6 ] && [ "$$2" -lt 2 ]; }; then \
	    echo "pincheck is built with Swift 6.2 or later, and this is Swift $$1.$$2: see https://www.swift.org/install" >&2; \
	    exit 1; \
	fi

libraries: toolchain
ifeq ($(SYSTEM),Darwin)
	@if ! command -v brew >/dev/null 2>&1; then \
	    echo "pincheck needs Homebrew (https://brew.sh) for: $(BREW_PACKAGES)" >&2; \
	    exit 1; \
	fi; \
	for package in $(BREW_PACKAGES); do \
	    brew list --versions "$$package" >/dev/null 2>&1 || brew install "$$package" || exit 1; \
	done
else
	@found() { pkg-config --exists $(MODULES) 2>/dev/null; }; \
	if found; then exit 0; fi; \
	install='apt-get install -y --no-install-recommends $(APT_PACKAGES)'; \
	if ! command -v apt-get >/dev/null 2>&1; then \
	    echo "pincheck needs pkg-config and the development files of OpenSSL (3.0 or later), libpsl, libidn2, expat and libarchive" \
	        "(on Fedora: dnf install pkgconf-pkg-config openssl-devel libpsl-devel libidn2-devel expat-devel libarchive-devel)" >&2; \
	    exit 1; \
	fi; \
	if [ "$$(id -u)" -eq 0 ]; then root=; \
	elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then root=sudo; \
	else \
	    echo "pincheck needs $(APT_PACKAGES): run '$$install' as root, then make again" >&2; \
	    exit 1; \
	fi; \
	echo "installing what pincheck needs: $(APT_PACKAGES)"; \
	if ! { $$root apt-get update -qq && $$root env DEBIAN_FRONTEND=noninteractive $$install; }; then \
	    echo "that did not work: run '$$install' as root, then make again" >&2; \
	    exit 1; \
	fi; \
	if ! found; then \
	    echo "pincheck needs more than this system has:" >&2; \
	    pkg-config --print-errors --exists $(MODULES); \
	    exit 1; \
	fi
endif
