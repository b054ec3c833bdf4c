# Analyses in parts, with SHARDS=N: each trace of a kernel is analysed by at most N steps, each of some of its processors, and
# analyze merge joins what they find. The files are byte for byte those of SHARDS=1. They are not those without SHARDS, because a part
# knows nothing of the order of processors: references interleaved in one order (processor -1) are left out.
#
# Limitation: only the analyses in MERGED are split; the others run whole. So do all analyses of EXTERNALS, as their numbers of
# processors are not known before.
ifneq ($(SHARDS),)
$(if $(filter-out 1,$(words $(SHARDS)))$(shell expr '$(SHARDS)' : '[1-9][0-9]*$$' >/dev/null || echo wrong),$(error SHARDS=$(SHARDS): give a number from 1 on))

MERGED       := reuse locality reuse_time marshal cache
MERGED_FILES := reuse.arrow curve.arrow locality.params.toml locality_curve.arrow locality_assoc.arrow reuse_time.arrow working_set.arrow marshal.arrow cache.arrow
split_here   := $(filter $(MERGED),$(subst $(comma), ,$(ANALYSES)))
whole_here   := $(filter-out $(MERGED),$(subst $(comma), ,$(ANALYSES)))
$(if $(split_here),,$(error SHARDS=$(SHARDS): no analysis of this study can be split: there are $(MERGED)))
list          = $(subst $() ,$(comma),$(strip $1))
apart        := $(if $(filter reuse reuse_time cache,$(split_here)),--interleaved=false )

# ranges.8 of SHARDS=3 is 0-2 3-5 6-7; without a number, one part is enough.
parts         = $(shell awk 'BEGIN { n = $1; s = $(SHARDS) < n ? $(SHARDS) : n; for (i = 0; i < s; i++) { a = b + 0; b += int(n / s) + (i < n % s); \
	print (b - 1 > a ? a "-" (b - 1) : a) } }')
$(foreach n,$(PROCS),$(if $(ranges.$n),,$(eval ranges.$n := $(call parts,$n))))
split_runs    = $(foreach n,$(PROCS),$(if $(word 2,$(ranges.$n)),$(filter %.procs-$n,$1)))
SPLIT        := $(call split_runs,$(foreach k,$(KERNELS),$(PROCS:%=$k.procs-%)))
shards        = $(patsubst %,$1.shard-%,$(ranges.$(patsubst procs-%,%,$(lastword $(subst ., ,$1)))))

shard.command = analyze --run $(call list,$(split_here)) --line $(LINE_SIZES) --procs $(patsubst .shard-%,%,$(suffix $1)) -o $(OUT)/$1 $(OUT)/$(basename $1)
merge.command = analyze merge -o $(OUT)/$1.analysis $(addprefix $(OUT)/,$(call shards,$1))
whole.command = analyze --run $(call list,$(whole_here)) $(analysis.flags)-o $(OUT)/$1.analysis $(OUT)/$1

$(OUT)/%/shards.arrow: $$(addprefix $$(OUT)/$$(basename $$*),.refs.arrow .events.arrow) $(BIN)/analyze $(OUT)/sets
	$(call step,$(call shard.command,$*))

# Both rules write into one folder, so that the merge waits for the other.
define split_rules
$(addprefix $(OUT)/$1.analysis/,$(filter $(MERGED_FILES),$(RESULTS))) &: $(patsubst %,$(OUT)/%/shards.arrow,$(call shards,$1)) $(BIN)/analyze $(if \
	$(whole_here),$(OUT)/$1.analysis/$(firstword $(filter-out $(MERGED_FILES),$(RESULTS))))
	$$(call step,$$(call merge.command,$1))
$(if $(whole_here),$(addprefix $(OUT)/$1.analysis/,$(filter-out $(MERGED_FILES),$(RESULTS))) &: $(OUT)/$1.refs.arrow $(OUT)/$1.events.arrow $(BIN)/analyze $(OUT)/sets
	$$(call step,$$(call whole.command,$1)))
endef
$(foreach t,$(SPLIT),$(eval $(call split_rules,$t)))
endif
