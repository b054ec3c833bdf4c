# Builds the stage binaries into $(ROOT)/bin. Included by every Makefile here;
# ROOT is the project's folder, relative to the including Makefile.

GO     ?= go
BIN    := $(ROOT)/bin
STAGES := traces tracegen analyze calibrate predict

# A stage whose package does not exist yet has no binary.
BINARIES := $(foreach s,$(STAGES),$(if $(wildcard $(ROOT)/$s/*.go),$(BIN)/$s))

SOURCES := $(shell find $(STAGES:%=$(ROOT)/%) \( -name '*.go' -not -name '*_test.go' -o -name '*.html' -o -name '*.css' -o -name '*.csv' -o -name '*.c' -o -name '*.js' -not -path '*/node_modules/*' \) -print 2>/dev/null | LC_ALL=C sort) \
	$(ROOT)/go.mod $(ROOT)/go.sum

# One build for all; a binary that came out as it was keeps its time, so that
# only what follows from a change is made again. Makes that run at once build
# aside, each in a folder of its own, named for its process; those of dead ones go.
$(BIN)/.built: $(SOURCES)
	@mkdir -p $(BIN)
	@for d in $(BIN)/.new.*; do kill -0 $${d##*.} 2>/dev/null || rm -rf $$d; done
	@set -e; new=bin/.new.$$$$; cd $(ROOT); trap 'rm -rf $$new' EXIT; trap 'exit 1' HUP INT TERM; \
	build='$(GO) build -buildvcs=false'; stages='$(patsubst $(BIN)/%,./%,$(BINARIES))'; \
	echo "building $(notdir $(BINARIES)) into bin/ (the first time this takes one to two minutes)"; $$build -o $$new/ $$stages; \
	for b in $(notdir $(BINARIES)); do cmp -s $$new/$$b bin/$$b || mv $$new/$$b bin/$$b; done; \
	touch bin/.built

$(BINARIES): $(BIN)/.built
	@test -x $@ || { rm -f $(BIN)/.built; echo "$@ is missing: run make again" >&2; exit 1; }
