package study

import (
	"fmt"
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

const (
	leastMemory = 4 << 30 // that every trace may use
	eachRefUses = 1 << 10 // a trace with many references is large itself
	eachProc    = 5 << 10 // for reading the trace
)

// checkMemory refuses a trace of so many processors that their state alone takes too much memory, for its number of
// references. All processors have state in the interleaved order. Otherwise few analyses make it for all at once.
func (s *Settings) checkMemory(procs int, orders []trace.Proc, refs uint64) error {
	interleaved := slices.Contains(orders, trace.Interleaved)
	if !interleaved {
		procs = len(orders)
	}
	each := unit.Bytes(0)
	for _, k := range s.chosen() {
		if interleaved || k.KeepsAll {
			each += k.PerProc
		}
	}
	need := float64(procs) * float64(each+eachProc)
	if each == 0 || need <= max(leastMemory, eachRefUses*float64(refs)) {
		return nil
	}
	return fmt.Errorf("analyzing %d processors: the state of each takes about %d KiB, %.1f GiB in all, more than %d GiB; choose fewer analyses with --run, or parts of the processors with --procs",
		procs, (each+eachProc)>>10, need/(1<<30), leastMemory>>30)
}

// checkCaches is checkMemory for the program orders of all processors, or of some.
func (s *Settings) checkCaches(src *store.Trace, procs []trace.Proc) error {
	refs := uint64(0)
	for p := range trace.Proc(src.Header().Procs) {
		refs += src.Totals(p).Refs
	}
	if procs == nil {
		procs = make([]trace.Proc, src.Header().Procs)
	}
	return s.checkMemory(len(procs), procs, refs)
}
