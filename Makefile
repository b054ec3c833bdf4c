# Spoor. `make` builds everything, runs the quickstart and prints the path of its report.
# `make help` lists all targets. Only Go, make and git are needed.

ROOT := .
.DEFAULT_GOAL := quickstart
.DELETE_ON_ERROR:

include pipelines/build.mk

# The packages that run several goroutines on shared data.
CONCURRENT := $(patsubst %,./%,$(wildcard traces/store traces/internal/outfile traces/format traces/format/internal/* traces/stage tracegen/spmd tracegen/kernel tracegen/kernel/internal/* tracegen/tape analyze/analysis predict/internal/engine predict/internal/engine/barrier predict/internal/engine/share predict/internal/replay))
# Tests of theirs that the race detector can skip, as a regular expression for -skip.
SEQUENTIAL = $(shell $(GO) run ./pipelines sequential)
# Tests of packages in which only one part has goroutines.
STACKS := -run '^(TestStackIsNaive|TestDistancesSoFar|TestWorkers.*)$$' ./analyze/reuse ./predict/internal/direct
# Their tests build and run the commands of all stages.
WHOLE := ./predict ./predict/internal/repository
FUZZTIME   ?= 30s
TESTFLAGS  ?=
BENCHTIME  ?= 1s
ROUNDS     ?= 5
# Step vet covers all packages, so other steps do not vet again.
TEST = $(GO) test -vet=off $(TESTFLAGS)
# The race detector needs a C compiler.
RACE = $(shell cc="$$($(GO) env CC)"; test "$$($(GO) env CGO_ENABLED)" = 1 && command -v $${cc%% *} >/dev/null 2>&1 && echo -race)

STEPS := vet unit race commands fuzz smoke slurm
# All studies, the studies of papers, and the studies with reviewed results.
STUDIES := $(patsubst pipelines/%/Makefile,%,$(wildcard pipelines/*/Makefile))
PAPERS  := $(filter-out quickstart external calibration unseen,$(STUDIES))
GOLDEN  := $(patsubst pipelines/%/expected.tsv,%,$(wildcard pipelines/*/expected.tsv))
.PHONY: quickstart status cancel build install share test reference $(STEPS) papers golden torture times bench benchmarks clean help

## quickstart  build, run the quickstart pipeline, print the path of its report
# It uses all processors, unless make was given -j.
CORES := $(shell getconf _NPROCESSORS_ONLN)
quickstart: $(BINARIES)
	@$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(CORES)) -C pipelines/quickstart

## status      with ENGINE=slurm: progress of the quickstart on a Slurm cluster; cancel ends its jobs
status cancel:
	@$(MAKE) --no-print-directory -C pipelines/quickstart $@

## build       build the stage binaries into bin/
build: $(BINARIES)

## install     binaries, manual pages, completions, machines, prices and samples below PREFIX=/usr/local
PREFIX ?= /usr/local
SHARE  := $(DESTDIR)$(PREFIX)/share
# The files that examples of the manual pages use, with the sources that programs of users are built with.
DATA     := data/machine data/paper data/price data/sample $(addprefix tracegen/instrument/testdata/,heat mandelbrot sum teams)
LIBRARY  := ./tracegen/spmd ./tracegen/instrument/... ./predict/direct/session
SHIPPED   = printf '%s\n' LICENSE go.mod go.sum $(DATA) && $(GO) list -deps -f \
	'{{with .Module}}{{if .Main}}$(foreach f,Go S H Embed IgnoredGo IgnoredOther,\
	{{range $$.$(f)Files}}{{$$.ImportPath}}/{{.}}{{"\n"}}{{end}}){{end}}{{end}}' $(LIBRARY) | sed -n 's,^ *spoor/,,p'
install: $(BINARIES) share
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install $(BINARIES) $(DESTDIR)$(PREFIX)/bin
	@for b in $(BINARIES); do n=$$(basename $$b); \
		$$b man $(SHARE)/man/man1 && $$b completion bash >$(SHARE)/bash-completion/completions/$$n && \
		$$b completion zsh >$(SHARE)/zsh/site-functions/_$$n && $$b completion fish >$(SHARE)/fish/vendor_completions.d/$$n.fish || exit 1; done

# What examples and programs of users need, below share/spoor.
share:
	install -d $(SHARE)/spoor
	@{ $(SHIPPED); } | tar -cf - -T - | tar -xf - -C $(SHARE)/spoor

## test        the steps below, one after the other, with FUZZTIME=1s
test: FUZZTIME = 1s
test:
	@for step in $(STEPS); do echo "== $$step"; $(MAKE) --no-print-directory $$step FUZZTIME=$(FUZZTIME) || exit 1; done
	@echo "make test: all passed"

# Platforms on which the tests do not run: programs and tests must build on PORTABLE, programs on BUILDS. What is special to
# Linux is vetted here, and what is special to arm64 there.
PORTABLE := darwin/arm64
BUILDS   := windows/amd64
# What nobody executes is compiled without optimization, which is quicker.
QUICKLY  := -gcflags='all=-N -l'

## vet         gofmt, go vet (also for macOS and arm64), a build for Windows, staticcheck
vet:
	@test -z "$$(gofmt -l $(STAGES) pipelines)" || { echo "run gofmt on:"; gofmt -l $(STAGES) pipelines; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags oracle ./tracegen/instrument/internal/oracle
	@GOARCH=ppc64le $(GO) vet ./tracegen/tape
	@for p in $(PORTABLE); do GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet $(QUICKLY) ./... || exit 1; done
	@for p in $(BUILDS); do GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build $(QUICKLY) ./... || exit 1; done
	$(GO) tool staticcheck ./...

## unit        tests of all packages except those of commands
unit:
	$(TEST) $$($(GO) list ./... | grep -vxF $(WHOLE:./%=-e spoor/%))

## race        short tests of the concurrent packages, under the race detector
race:
	@if test -z "$(RACE)"; then \
		echo "note: no C compiler, so nothing runs under the race detector; install gcc or clang, and leave CGO_ENABLED at 1, to have it"; \
	else $(TEST) -short $(RACE) -skip '$(SEQUENTIAL)' $(CONCURRENT) && $(TEST) -short $(RACE) $(STACKS); fi

## commands    tests of predict with the other commands, and of the whole tree: examples of help texts and pages, links, layering
# The test cache does not see the files that these tests read, hence -count=1.
commands:
	$(TEST) -count=1 $(WHOLE)

## reference   write the generated pages of docs/reference
reference:
	$(TEST) -count=1 -run '^TestGeneratedPages' ./predict/internal/repository -update

## fuzz        each fuzz target for FUZZTIME=30s, two packages at a time
fuzz:
	@GO='$(GO)' sh .ci/fuzz $(FUZZTIME) $(STAGES)

# make -n runs lines that contain $(MAKE). Scripts that get it as an argument must not run then.
SCRIPT = @$(if $(findstring n,$(firstword -$(MAKEFLAGS))),echo )
STUDYTEST = $(TEST) -v -count=1 -timeout 0

## smoke       every study at small sizes; checks that the quickstart is incremental and repeatable
smoke:
	$(SCRIPT)$(STUDYTEST) -run '^TestSmoke$$' ./pipelines -make '$(MAKE)'

## slurm       a study on a Slurm cluster of one node whose jobs are killed at random, if Slurm is installed
slurm: $(BINARIES)
	$(SCRIPT)sh pipelines/slurm/test.sh '$(MAKE)'

## papers      every study of a paper, at reduced size; SCALE=full has the papers' sizes, OUT=DIR another folder
GOALS ?= report
# They measure the machine on which make runs, so they have no jobs for Slurm.
HOSTED := realruns
papers:
	@$(if $(filter slurm,$(ENGINE)),echo 'note: left out, as it measures this machine: $(HOSTED)')
	@for study in $(filter-out $(if $(filter slurm,$(ENGINE)),$(HOSTED)),$(PAPERS)); do $(MAKE) --no-print-directory -C pipelines/$$study $(if $(OUT),OUT='$(abspath $(OUT))'/$$study) $(GOALS) || exit 1; done

## golden      every study at its default size, compared with its expected.tsv within the tolerances there
golden:
	@for study in $(GOLDEN); do echo "== $$study"; $(MAKE) --no-print-directory -C pipelines/$$study golden || failed=1; done; test -z "$$failed"

## torture     kills small studies 20 times and fills their disk, and rewrites 39 packages of the standard library
torture: $(BINARIES)
	$(TEST) -v -run '^TestStandardPackagesPassTheirTests$$' ./tracegen/instrument -standard
	$(SCRIPT)$(STUDYTEST) -run '^TestTorture$$' ./pipelines -make '$(MAKE)'

## times       processor time and memory of studies; TIMED=du2000 for one, SCALE=full for the papers' sizes
TIMED ?= $(if $(filter full,$(SCALE)),,quickstart) $(PAPERS)
times: $(BINARIES)
	$(SCRIPT)sh .ci/times '$(MAKE)' '$(or $(SCALE),quick)' $(TIMED)

## bench       every figure with a threshold, next to its reference, medians of ROUNDS; KEEP=NAME keeps the table
bench:
	@GO='$(GO)' $(GO) run ./pipelines bench $(BIN)/bench.txt $(BENCHTIME) $(ROUNDS) >$(BIN)/bench.tsv && cat $(BIN)/bench.tsv
	@$(if $(KEEP),cp $(BIN)/bench.tsv data/bench/$(KEEP).tsv)

## benchmarks  all benchmarks
benchmarks:
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

## clean       remove binaries and the outputs of pipelines
clean:
	rm -rf $(BIN) $(wildcard pipelines/*/out)

## help        this list
help:
	@sed -n 's/^## /make /p' $(firstword $(MAKEFILE_LIST))
