# Builds the stage binaries into $(ROOT)/bin. Included by every Makefile here;
# ROOT is the project's folder, relative to the including Makefile.

GO     ?= go
BIN    := $(ROOT)/bin
STAGES := traces tracegen analyze calibrate predict

# The binaries of the stages that exist, and a program that is not installed, for the Makefiles of studies.
BINARIES := $(foreach s,$(STAGES),$(if $(wildcard $(ROOT)/$s/*.go),$(BIN)/$s))

# Where the binaries begin: see traces/stage/entry_linux_amd64.go. Without cgo, threads take no address space.
ENTRY  = $(if $(filter linux/amd64,$(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)),-ldflags=-E=spoor/traces/stage.entry)

SOURCES := $(shell find $(STAGES:%=$(ROOT)/%) \( -name '*.go' -not -name '*_test.go' -o -name '*.html' -o -name '*.css' -o -name '*.csv' -o -name '*.c' -o -name '*.s' -o -name '*.js' -not -path '*/node_modules/*' \) -print 2>/dev/null | LC_ALL=C sort) \
	$(filter-out %_test.go,$(wildcard $(ROOT)/pipelines/*.go $(ROOT)/pipelines/internal/*/*.go)) $(ROOT)/go.mod $(ROOT)/go.sum

# A plan is made when the binaries are up to date: see engine.mk.
ifneq ($(ENGINE),plan)
# One build for all binaries. An unchanged binary keeps its time, so that make repeats only what follows from a change.
# Concurrent makes build in folders of their own, named for their processes; folders of dead processes are removed.
$(BIN)/.built: $(SOURCES)
	@mkdir -p $(BIN)
	@for d in $(BIN)/.new.*; do kill -0 $${d##*.} 2>/dev/null || rm -rf $$d; done
	@set -e; new=bin/.new.$$$$; cd $(ROOT); trap 'rm -rf $$new' EXIT; trap 'exit 1' HUP INT TERM; \
	build='env CGO_ENABLED=0 $(GO) build -buildvcs=false'; stages='$(patsubst $(BIN)/%,./%,$(BINARIES))'; \
	echo "building $(notdir $(BINARIES)) into bin/ (the first time this takes one to two minutes)"; $$build $(ENTRY) -o $$new/ $$stages; $$build -o $$new/ ./pipelines; \
	for b in $(notdir $(BINARIES)) pipelines; do cmp -s $$new/$$b bin/$$b || mv $$new/$$b bin/$$b; done; \
	touch bin/.built

$(BINARIES) $(BIN)/pipelines: $(BIN)/.built
	@test -x $@ || { rm -f $(BIN)/.built; echo "$@ is missing: run make again" >&2; exit 1; }
endif
