# Where the steps of a study run: with ENGINE=local on this machine, as make runs them; with ENGINE=slurm as jobs of a Slurm cluster, see
# slurm/README.md. Included by rules.mk, and by Makefiles without it when OUT, BIN and .DEFAULT_GOAL are set.
#
#   make ENGINE=slurm [GOAL...]    submits all steps that the goals need, and ends
#   make ENGINE=slurm status       prints how many steps are done
#   make ENGINE=slurm cancel       ends all jobs of the study
ENGINE ?= local
$(if $(filter local slurm plan,$(ENGINE)),,$(error ENGINE=$(ENGINE): there are local and slurm))

# The graph is what make would run with ENGINE=plan: see internal/plan. It names all files and the environment of commands.
ifeq ($(ENGINE),plan)
.PHONY: plan-environment
plan-environment: $(if $(filter-out plan-environment,$(MAKECMDGOALS)),,$(.DEFAULT_GOAL))
	+@env -0 >'$(PLAN_ENVIRONMENT)'
.SECONDARY:
endif

SLURM_GOALS := $(filter status cancel,$(MAKECMDGOALS))
ifneq ($(SLURM_GOALS),)
$(if $(filter slurm,$(ENGINE)),,$(error $(SLURM_GOALS): only jobs have it: give ENGINE=slurm))
$(if $(filter-out 1,$(words $(MAKECMDGOALS))),$(error $(SLURM_GOALS): give it without other goals))
endif

# What is removed is removed here.
$(if $(filter slurm,$(ENGINE)),$(if $(filter clean,$(MAKECMDGOALS)),$(if $(filter-out 1,$(words $(MAKECMDGOALS))),$(error clean: with ENGINE=slurm, give it without other goals))))
ifeq ($(ENGINE)$(filter clean,$(MAKECMDGOALS)),slurm)
$(if $(JOBS),$(error JOBS has no effect on Slurm, which gets all jobs at once; limit them there, for example by SLURM_FLAGS=--qos=NAME))
JOBS_OF := $(or $(MAKECMDGOALS),$(.DEFAULT_GOAL))
ENGINE_COMMAND := $(if $(SLURM_GOALS),$(SLURM_GOALS) '$(OUT)/slurm',submit '$(OUT)/slurm' '$(MAKE)' -f '$(firstword $(MAKEFILE_LIST))' $(JOBS_OF:%='%'))
# No recipe of the study has a shell here, so that this machine runs no step.
.SILENT:
.PHONY: on-slurm $(SLURM_GOALS)
%: SHELL := true
$(BIN)/.built $(BINARIES) $(BIN)/pipelines on-slurm: SHELL := /bin/sh
$(JOBS_OF): on-slurm
on-slurm: $(BINARIES) $(BIN)/pipelines
	$(BIN)/pipelines slurm $(ENGINE_COMMAND)
endif
