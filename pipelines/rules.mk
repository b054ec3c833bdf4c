# The pipeline of every study: one pattern rule for each kind of file.
#
# A study's Makefile sets lists and includes this file:
#   TITLE       of the report
#   KERNELS     programs with their parameters, as names: fft.points-65536
#   PROCS       numbers of processors; each kernel is traced on each
#   RECORD      more flags of tracegen; optional
#   EXTERNALS   names of traces from other tools; each has FILE.name, and FLAGS.name for traces import
#   MACHINES    machine descriptions
#   SETS        numbers of sets of the machines' caches, with commas; without it there are no predictions
#   DIRECT      programs that ask for the time: they are simulated by predict direct, not replayed; optional
#   ANALYSES    analyses, with commas; default reuse,locality,phases with SETS, none without
#   RESULTS     the files that ANALYSES write, if they differ from the default
#   LINE_SIZES  sizes of the machines' lines and blocks, with commas; 64B if not given
#   PER_NODE    numbers of processors of the nodes of clusters, with commas: what nodes ask of each other is analysed too; optional
#   PLACEMENTS  of pages among nodes, with commas; first-touch if not given
#   NETWORKS    between nodes, and DELAYS of their blocks in instructions, with commas, for which what they ask of each other is counted,
#               and MESSAGES, more flags of analyze about them; optional
#   REPLAY      more flags of predict replay; optional
#   FULL        the PROCS that are simulated, on machines that have as many processors; without it, all on all that have enough
#   DECISIONS   names of decisions on what to buy, each with DECIDE.name, the command and flags of predict (without --params), and
#               for programs that need more flags OPTIONS.kernel; optional, shown by the report, and printed by the target decisions
#   PRICES      lists of prices that decisions depend on
#   TIMELINES   traces that are shown over time, as simulated on the first machine; optional
#   PATHS       traces that pass messages whose critical paths there are shown; optional
#   REPORT      the file that the study ends in; out/report.html if not given
#   PUBLISHED   files of numbers of a paper that the report shows beside simulations; optional
#   FITS        tables of calibrate fit that the report shows; optional
#   QUIET       --quiet if the report shows the warnings, so that make prints steps alone; optional
#   LOOK        one sentence, printed at the end: what to look at first in the report; optional
#   SHARDS      number of parts in which the analyses of a trace run, where they can: see shards.mk; optional
#   BASELINES   machines to which others are compared whose names begin with theirs and a hyphen; optional
# The file provides the targets report (default), traces, analyses, predictions, simulations, comparison, decisions, tables,
# golden, accept and clean. Names hold arguments as key-value between dots: out/fft.points-65536.procs-4.refs.arrow.

ROOT := $(dir $(lastword $(MAKEFILE_LIST)))..
include $(ROOT)/pipelines/plain.mk
$(call plain,OUT SCALE ENGINE JOBS SHARDS,/ = :)
OUT  ?= out
scales := $(sort $(patsubst OUT.%,%,$(filter OUT.%,$(.VARIABLES))))
$(if $(scales),$(if $(filter $(SCALE),$(scales)),,$(error SCALE=$(SCALE): this study has $(scales))))
LINE_SIZES ?= 64B
comma := ,
ANALYSES ?= $(if $(SETS),reuse$(comma)locality$(comma)phases)
RESULTS  ?= locality.params.toml curve.arrow reuse.arrow phases.arrow $(if $(PER_NODE),traffic.arrow)
PLACEMENTS ?= first-touch

.DEFAULT_GOAL := report
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.PHONY: report traces analyses predictions simulations comparison decisions tables golden accept clean

include $(ROOT)/pipelines/build.mk
export PATH := $(abspath $(BIN)):$(PATH)

# Programs, and the traced runs of program $1. Models get all runs of a program together, because the paper's model scales the
# locality of one processor.
PROGRAMS := $(KERNELS) $(EXTERNALS)
runs     = $(if $(FILE.$1),$1,$(PROCS:%=$1.procs-%))
TRACES   := $(foreach p,$(PROGRAMS),$(call runs,$p))
SIMULATED := $(if $(FULL),$(filter $(foreach n,$(FULL),%.procs-$n),$(TRACES)),$(TRACES))
# The files that analyze writes for a trace.
analysed = $(foreach t,$(call runs,$1),$(addprefix $(OUT)/$t.analysis/,$(RESULTS)))

# The command that makes each kind of file of trace $1.
fields             = $(subst ., ,$1)
flag               = $(if $(filter procs-%,$1),--procs $(1:procs-%=%),--set $(subst -,=,$1))
trace.command      = $(if $(FILE.$1),traces import $(FLAGS.$1) $(FILE.$1),tracegen $(firstword $(fields)) $(foreach f,$(wordlist 2,99,$(fields)),$(call flag,$f))$(RECORD:%= %)) -o $(OUT)/$1
analysis.flags     = --line $(LINE_SIZES) $(SETS:%=--sets %) $(if $(PER_NODE),--per-node $(PER_NODE) --placement $(PLACEMENTS) $(NETWORKS:%=--node-network % )$(DELAYS:%=--delay % )$(MESSAGES:%=% ))
analysis.command   = analyze --run $(ANALYSES) $(analysis.flags)$(apart)-o $(OUT)/$1.analysis $(OUT)/$1
prediction.command = predict cluster $(foreach t,$(call runs,$1),--params $(OUT)/$t.analysis) $(MACHINES:%=--machine %) $(if $(FULL),--full )-o $(OUT)/$1.prediction.arrow
decision.command   = predict $(DECIDE.$(patsubst .%,%,$(suffix $1)))$(OPTIONS.$(firstword $(fields)):%= %) $(foreach t,$(call runs,$(basename $1)),--params $(OUT)/$t.analysis) -o $(OUT)/$1.decision.arrow
# A program of DIRECT runs under the simulator, because its work depends on the answers to its questions about time.
direct             = $(firstword $(fields)) $(foreach f,$(wordlist 2,99,$(fields)),$(call flag,$f))$(if $(filter %refs=false,$(RECORD)), --references=false)
simulated          = $(if $(filter $(DIRECT),$(firstword $(fields))),direct $(direct),replay $(OUT)/$1)
simulation.command = predict $(simulated) $(MACHINES:%=--machine %) $(REPLAY:%=% )$(if $(FULL),--full )-o $(OUT)/$1.simulation.arrow

timeline.command   = predict $(simulated) --machine $(firstword $(MACHINES)) --phases -o $(OUT)/$1.phases.arrow
path.command       = predict $(simulated) --machine $(firstword $(MACHINES)) --path processor -o $(OUT)/$1.path.arrow

# Results are in files, so standard output is dropped.
include $(ROOT)/pipelines/engine.mk
say  = $(if $(filter local,$(ENGINE)),sh $(ROOT)/pipelines/step $(OUT)/steps '$(STEPS)' '$1' && )
step = @$(call say,$1)$1$(QUIET:%= %) >/dev/null

traces:      $(TRACES:%=$(OUT)/%.refs.arrow) $(TRACES:%=$(OUT)/%.events.arrow)
analyses:    $(if $(ANALYSES),$(foreach p,$(PROGRAMS),$(call analysed,$p)))
PREDICTIONS := $(if $(SETS),$(PROGRAMS:%=$(OUT)/%.prediction.arrow))
predictions: $(PREDICTIONS)
simulations: $(SIMULATED:%=$(OUT)/%.simulation.arrow)

$(OUT)/%.refs.arrow $(OUT)/%.events.arrow: $$(if $$(FILE.$$*),$$(FILE.$$*) $(OUT)/$$*.source $$(BIN)/traces,$$(BIN)/tracegen)
	$(call step,$(call trace.command,$*))

$(addprefix $(OUT)/%.analysis/,$(RESULTS)): $(OUT)/%.refs.arrow $(OUT)/%.events.arrow $(BIN)/analyze $(OUT)/sets
	$(call step,$(call analysis.command,$*))

include $(ROOT)/pipelines/shards.mk

$(OUT)/%.prediction.arrow: $$(call analysed,$$*) $(MACHINES) $(BIN)/predict $(OUT)/machines
	$(call step,$(call prediction.command,$*))

$(OUT)/%.simulation.arrow: $(OUT)/%.refs.arrow $(OUT)/%.events.arrow $(MACHINES) $(BIN)/predict $(OUT)/machines
	$(call step,$(call simulation.command,$*))

# A decision is a table and the printed text.
CHOICES := $(foreach p,$(PROGRAMS),$(DECISIONS:%=$p.%))
$(OUT)/%.decision.txt $(OUT)/%.decision.arrow: $$(call analysed,$$(basename $$*)) $(PRICES) $(BIN)/predict $(OUT)/decisions
	@$(call say,$(call decision.command,$*))$(call decision.command,$*) >$(OUT)/$*.decision.new && mv $(OUT)/$*.decision.new $(OUT)/$*.decision.txt

decisions: $(CHOICES:%=$(OUT)/%.decision.txt)
	@for c in $(CHOICES); do echo "== $$c" && cat $(OUT)/$$c.decision.txt && echo || exit 1; done

$(OUT)/%.phases.arrow: $(OUT)/%.refs.arrow $(OUT)/%.events.arrow $(firstword $(MACHINES)) $(BIN)/predict $(OUT)/machines
	$(call step,$(call timeline.command,$*))

$(OUT)/%.path.arrow: $(OUT)/%.refs.arrow $(OUT)/%.events.arrow $(firstword $(MACHINES)) $(BIN)/predict $(OUT)/machines
	$(call step,$(call path.command,$*))

REPORTED := $(if $(ANALYSES),$(foreach t,$(TRACES),$(addprefix $(OUT)/$t.analysis/,$(filter-out reuse.arrow phases.arrow,$(RESULTS))))) \
	$(SIMULATED:%=$(OUT)/%.simulation.arrow) $(TIMELINES:%=$(OUT)/%.phases.arrow) $(PATHS:%=$(OUT)/%.path.arrow) $(PREDICTIONS) $(CHOICES:%=$(OUT)/%.decision.arrow) $(FITS)
BASELINE := $(if $(BASELINES),--baseline $(subst $() ,$(comma),$(strip $(BASELINES))))

$(OUT)/report.html: $(REPORTED) $(MACHINES) $(PUBLISHED) $(BIN)/predict $(OUT)/commands.txt
	@$(call say,predict report $(OUT) -o $@)predict report --title '$(TITLE)' --commands $(OUT)/commands.txt $(MACHINES:%=--machine %) $(PUBLISHED:%=--published %) $(BASELINE) -o $@ $(REPORTED)

REPORT ?= $(OUT)/report.html
report: $(REPORT)
ifneq ($(ENGINE),plan)
	@rm -f $(OUT)/steps
	@echo "report: $(abspath $(REPORT))"
	@$(if $(LOOK),echo '$(LOOK)')
endif

comparison: predictions simulations
	@$(if $(SETS),predict compare $(PREDICTIONS) $(SIMULATED:%=$(OUT)/%.simulation.arrow))
	@$(if $(BASELINES),predict compare $(BASELINE) $(SIMULATED:%=$(OUT)/%.simulation.arrow))

# golden compares these tables with the reviewed ones in expected.tsv (full.tsv at the papers' sizes), within the tolerances
# in its head. A study may have its own GOLDEN and rules.
EXPECTED ?= $(if $(filter full,$(SCALE)),full.tsv,expected.tsv)
GOLDEN ?= $(if $(SETS),$(OUT)/comparison.csv) $(if $(BASELINES),$(OUT)/abstraction.csv)

$(OUT)/comparison.csv: $(PREDICTIONS) $(SIMULATED:%=$(OUT)/%.simulation.arrow) $(BIN)/predict
	@predict --quiet compare --format csv $(filter %.arrow,$^) >$@.new && mv $@.new $@

$(OUT)/abstraction.csv: $(SIMULATED:%=$(OUT)/%.simulation.arrow) $(BIN)/predict
	@predict --quiet compare $(BASELINE) --format csv $(filter %.arrow,$^) >$@.new && mv $@.new $@

# Limitation: names must not have commas or quotes.
$(OUT)/actual.tsv: $(GOLDEN)
	@if grep -n '"' $^; then echo 'golden: a name with a comma or a quote' >&2; exit 1; fi
	@awk -F , -v OFS='\t' '{ for (i = 1; i <= NF; i++) if ($$i ~ /^-?[0-9]+\.[0-9]/) $$i = sprintf("%.6g", $$i); $$1 = $$1; print }' $^ >$@.new && mv $@.new $@

golden: $(OUT)/actual.tsv $(BIN)/pipelines
	@test -f $(EXPECTED) || { echo 'golden: $(notdir $(CURDIR)) has no $(EXPECTED) to compare with; make accept SCALE=$(SCALE) stores the present results as reviewed' >&2; exit 1; }
	@pipelines golden $(notdir $(CURDIR)) $(EXPECTED) $<

# The tables of the study's page. A test of pipelines compares them with the reviewed results.
tables: $(GOLDEN) $(BIN)/pipelines
	@pipelines tables $(notdir $(CURDIR)) $(filter-out $(BIN)/%,$^)

# accept keeps the tolerances and rewrites the tables of pages. Sentences are changed by hand.
accept: $(OUT)/actual.tsv
	@{ grep -hs '^#' $(EXPECTED) || cat $(ROOT)/pipelines/tolerances; cat $<; } >$(EXPECTED).new
	@mv $(EXPECTED).new $(EXPECTED)
	@cd $(ROOT)/pipelines && $(GO) test -count=1 -run '^TestNumbersOfThePages' . -update || echo 'accept: change these sentences' >&2

clean:
	rm -rf $(OUT)

# The number of steps is that of a make that only prints them. It is too large if the build leaves a binary unchanged.
ifeq ($(ENGINE)$(findstring n,$(firstword -$(MAKEFLAGS)))$(filter clean golden accept,$(MAKECMDGOALS)),local)
STEPS ?= $(shell $(MAKE) -n --no-print-directory STEPS=0 $(MAKEOVERRIDES) $(MAKECMDGOALS) 2>/dev/null | grep -c 'pipelines/step ')
$(shell mkdir -p $(OUT) && rm -f $(OUT)/steps)
endif

# Lists that commands depend on are files, written only when they change. So a new machine repeats predictions, not traces.
define newline


endef
differ = $(subst |$(strip $1)|,,|$(strip $2)|)
keep   = $(if $(call differ,$2,$(file <$1)),$(shell mkdir -p $(dir $1))$(file >$1,$2))
listed = $(subst $(newline) ,$(newline),$(foreach k,$1,$(foreach t,$(if $(filter prediction,$k),$(PROGRAMS),$(if $(filter simulation,$k),$(if $(MACHINES),$(SIMULATED)),$(if $(filter timeline,$k),$(TIMELINES),$(if $(filter decision,$k),$(CHOICES),$(if $(filter path,$k),$(PATHS),$(TRACES)))))),$(call $k.command,$t)$(newline))))

ifeq ($(filter clean,$(MAKECMDGOALS)),)
$(call keep,$(OUT)/sets,$(ANALYSES) $(SETS) $(LINE_SIZES) $(apart)$(if $(PER_NODE),$(PER_NODE) $(PLACEMENTS) $(NETWORKS) $(DELAYS) $(MESSAGES)))
$(call keep,$(OUT)/machines,$(MACHINES))
$(foreach e,$(EXTERNALS),$(call keep,$(OUT)/$e.source,$(call trace.command,$e)))
$(call keep,$(OUT)/decisions,$(foreach d,$(DECISIONS),$(DECIDE.$d)) $(foreach k,$(KERNELS),$(OPTIONS.$(firstword $(subst ., ,$k)))))
$(call keep,$(OUT)/commands.txt,$(call listed,trace $(if $(ANALYSES),analysis) $(if $(SETS),prediction) simulation decision timeline path))
endif
$(OUT)/sets $(OUT)/machines $(OUT)/decisions $(OUT)/commands.txt $(EXTERNALS:%=$(OUT)/%.source): ;
