# A study of 209 steps for the test of this folder: eight small programs, analysed in parts.
TITLE    := A study for the test of Slurm
KERNELS  := fft.points-256 fft.points-1024 lu.n-32 lu.n-64 radix.keys-1024.radix-64 radix.keys-2048.radix-64 edge.size-16 edge.size-20
PROCS    := 1 2 4 8
MACHINES := ../../data/machine/du2000-smp-256k.toml ../../data/machine/example-desktop.toml
SETS     := 1024,2048
QUIET    := --quiet
SHARDS   ?= 4

include ../rules.mk

# A step that is killed whenever it runs.
.PHONY: killed
killed:
	@kill -KILL $$$$
