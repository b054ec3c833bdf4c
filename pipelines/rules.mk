# The pipeline of every study: one pattern rule for each kind of file.
#
# A study's Makefile sets lists and includes this file:
#   TITLE       of the report
#   KERNELS     programs with their parameters, as names: fft.points-65536
#   PROCS       numbers of processors to trace each kernel on
#   EXTERNALS   names of traces recorded elsewhere, each with FILE.name
#   MACHINES    machine descriptions
#   SETS        numbers of sets of the machines' caches, with commas; without it, nothing is analysed and predicted
#   LINE_SIZES  sizes of the machines' lines and blocks, with commas; 64B if not given
#   FULL        the PROCS that are simulated, on machines that have as many processors; without it, all on all that have enough
#   BASELINES   machines to which others are compared whose names begin with theirs and a hyphen; optional
# and gets the targets report (the default), traces, analyses, predictions,
# simulations, comparison and clean. Names carry arguments without = or :, as
# key-value, between dots: out/fft.points-65536.procs-4.refs.arrow.

ROOT := $(dir $(lastword $(MAKEFILE_LIST)))..
OUT  ?= out
LINE_SIZES ?= 64B

.DEFAULT_GOAL := report
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.PHONY: report traces analyses predictions simulations comparison clean

include $(ROOT)/pipelines/build.mk
export PATH := $(abspath $(BIN)):$(PATH)

# Programs, and the runs that were traced of the one called $1. Models see all runs
# of a program together: the paper's scales the locality of one processor.
PROGRAMS := $(KERNELS) $(EXTERNALS)
runs     = $(if $(FILE.$1),$1,$(PROCS:%=$1.procs-%))
TRACES   := $(foreach p,$(PROGRAMS),$(call runs,$p))
SIMULATED := $(if $(FULL),$(filter $(foreach n,$(FULL),%.procs-$n),$(TRACES)),$(TRACES))
# What analyze leaves of a trace, all of it or none.
RESULTS  := locality.params.toml curve.arrow reuse.arrow phases.arrow
analysed = $(foreach t,$(call runs,$1),$(addprefix $(OUT)/$t.analysis/,$(RESULTS)))

# What makes each kind of file of the trace called $1.
fields             = $(subst ., ,$1)
flag               = $(if $(filter procs-%,$1),--procs $(1:procs-%=%),--set $(subst -,=,$1))
trace.command      = $(if $(FILE.$1),traces import $(FILE.$1),tracegen $(firstword $(fields)) $(foreach f,$(wordlist 2,99,$(fields)),$(call flag,$f))) -o $(OUT)/$1
analysis.command   = analyze --run reuse,locality,phases --line $(LINE_SIZES) --sets $(SETS) -o $(OUT)/$1.analysis $(OUT)/$1
prediction.command = predict cluster $(foreach t,$(call runs,$1),--params $(OUT)/$t.analysis) $(MACHINES:%=--machine %) $(if $(FULL),--full )-o $(OUT)/$1.prediction.arrow
simulation.command = predict replay $(OUT)/$1 $(MACHINES:%=--machine %) $(if $(FULL),--full )-o $(OUT)/$1.simulation.arrow

# Results are in files; what commands print for people is not wanted here. With ENGINE=slurm
# each command is a job, up to JOBS of them at a time: see slurm/README.md.
ENGINE ?= local
JOBS   ?= 64
name       = $(subst /,.,$(patsubst $(OUT)/%,%,$@))
step.local = $1 >/dev/null
step.slurm = sh $(ROOT)/pipelines/slurm/run $(OUT)/slurm/$(name).log '$1'
step       = @echo '$1' && $(call step.$(ENGINE),$1)
$(if $(step.$(ENGINE)),,$(error ENGINE=$(ENGINE): there are local and slurm))
$(if $(filter slurm,$(ENGINE)),$(eval MAKEFLAGS += -j$(JOBS)))

traces:      $(TRACES:%=$(OUT)/%.refs.arrow) $(TRACES:%=$(OUT)/%.events.arrow)
analyses:    $(if $(SETS),$(foreach p,$(PROGRAMS),$(call analysed,$p)))
PREDICTIONS := $(if $(SETS),$(PROGRAMS:%=$(OUT)/%.prediction.arrow))
predictions: $(PREDICTIONS)
simulations: $(SIMULATED:%=$(OUT)/%.simulation.arrow)

$(OUT)/%.refs.arrow $(OUT)/%.events.arrow: $$(if $$(FILE.$$*),$$(FILE.$$*) $$(BIN)/traces,$$(BIN)/tracegen)
	$(call step,$(call trace.command,$*))

$(addprefix $(OUT)/%.analysis/,$(RESULTS)): $(OUT)/%.refs.arrow $(OUT)/%.events.arrow $(BIN)/analyze $(OUT)/sets
	$(call step,$(call analysis.command,$*))

$(OUT)/%.prediction.arrow: $$(call analysed,$$*) $(MACHINES) $(BIN)/predict $(OUT)/machines
	$(call step,$(call prediction.command,$*))

$(OUT)/%.simulation.arrow: $(OUT)/%.refs.arrow $(OUT)/%.events.arrow $(MACHINES) $(BIN)/predict $(OUT)/machines
	$(call step,$(call simulation.command,$*))

REPORTED := $(if $(SETS),$(foreach t,$(TRACES),$(OUT)/$t.analysis/curve.arrow $(OUT)/$t.analysis/locality.params.toml)) \
	$(SIMULATED:%=$(OUT)/%.simulation.arrow) $(PREDICTIONS)
comma    := ,
BASELINE := $(if $(BASELINES),--baseline $(subst $() ,$(comma),$(strip $(BASELINES))))

$(OUT)/report.html: $(REPORTED) $(MACHINES) $(BIN)/predict $(OUT)/commands.txt
	@echo predict report $(OUT) -o $@
	@predict report --title '$(TITLE)' --commands $(OUT)/commands.txt $(MACHINES:%=--machine %) $(BASELINE) -o $@ $(REPORTED)

report: $(OUT)/report.html
	@echo "report: $(abspath $(OUT))/report.html"

comparison: predictions simulations
	@$(if $(SETS),predict compare $(PREDICTIONS) $(SIMULATED:%=$(OUT)/%.simulation.arrow))
	@$(if $(BASELINES),predict compare $(BASELINE) $(SIMULATED:%=$(OUT)/%.simulation.arrow))

clean:
	rm -rf $(OUT)

# The lists that commands depend on are files, written when they change, so that
# one more machine makes predictions again and leaves traces alone.
define newline


endef
differ = $(subst |$(strip $1)|,,|$(strip $2)|)
keep   = $(if $(call differ,$2,$(file <$1)),$(shell mkdir -p $(dir $1))$(file >$1,$2))
listed = $(subst $(newline) ,$(newline),$(foreach k,$1,$(foreach t,$(if $(filter prediction,$k),$(PROGRAMS),$(if $(filter simulation,$k),$(SIMULATED),$(TRACES))),$(call $k.command,$t)$(newline))))

ifeq ($(filter clean,$(MAKECMDGOALS)),)
$(call keep,$(OUT)/sets,$(SETS) $(LINE_SIZES))
$(call keep,$(OUT)/machines,$(MACHINES))
$(call keep,$(OUT)/commands.txt,$(call listed,trace $(if $(SETS),analysis prediction) simulation))
endif
$(OUT)/sets $(OUT)/machines $(OUT)/commands.txt: ;
