# Builds the stage binaries into $(ROOT)/bin. Included by every Makefile here;
# ROOT is the project's folder, relative to the including Makefile.

GO     ?= go
BIN    := $(ROOT)/bin
STAGES := traces tracegen analyze calibrate predict

# A stage whose package does not exist yet has no binary.
BINARIES := $(foreach s,$(STAGES),$(if $(wildcard $(ROOT)/$s/*.go),$(BIN)/$s))

SOURCES := $(shell find $(STAGES:%=$(ROOT)/%) \( -name '*.go' -not -name '*_test.go' -o -name '*.html' -o -name '*.css' \) -print 2>/dev/null | LC_ALL=C sort) \
	$(ROOT)/go.mod $(ROOT)/go.sum

# One build for all; a binary that came out as it was keeps its time, so that
# only what follows from a change is made again.
$(BIN)/.built: $(SOURCES)
	@mkdir -p $(BIN)/.new
	cd $(ROOT) && $(GO) build -buildvcs=false -o bin/.new/ $(patsubst $(BIN)/%,./%,$(BINARIES))
	@for b in $(notdir $(BINARIES)); do cmp -s $(BIN)/.new/$$b $(BIN)/$$b || mv $(BIN)/.new/$$b $(BIN)/$$b || exit 1; done
	@rm -r $(BIN)/.new
	@touch $@

$(BINARIES): $(BIN)/.built
	@test -x $@ || { rm -f $(BIN)/.built; echo "$@ is missing: run make again" >&2; exit 1; }
