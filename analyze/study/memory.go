package study

import (
	"fmt"
	"slices"

	"spoor/traces/stage"
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
	procs, each := s.state(procs, orders)
	need := float64(procs) * float64(each)
	if need <= max(leastMemory, eachRefUses*float64(refs)) {
		return nil
	}
	return fmt.Errorf("analyzing %d processors: the state of each takes about %d KiB, %.1f GiB in all, more than %d GiB; choose fewer analyses with --run, or parts of the processors with --procs",
		procs, each>>10, need/(1<<30), leastMemory>>30)
}

// state returns how many processors have state at once, and the bytes for each.
func (s *Settings) state(procs int, orders []trace.Proc) (n int, each unit.Bytes) {
	interleaved := slices.Contains(orders, trace.Interleaved)
	if !interleaved {
		procs = len(orders)
	}
	for _, k := range s.chosen() {
		if interleaved || k.KeepsAll {
			each += k.PerProc
		}
	}
	if each > 0 {
		each += eachProc
	}
	return procs, each
}

// checkHost refuses a run whose processors and events alone need more memory than there is. procs are all that it reads.
func (s *Settings) checkHost(src *store.Trace, procs, orders []trace.Proc) error {
	all, each := s.state(src.Header().Procs, orders)
	need, events := unit.Bytes(all)*each, uint64(0)
	for _, p := range procs {
		events += src.Totals(p).Events
	}
	for _, k := range s.chosen() {
		if k.Memory != nil {
			need += k.Memory(len(procs), events)
		}
	}
	return stage.CheckMemory(uint64(need), fmt.Sprintf("analyzing %s with %s", stage.Count(len(procs), "processor"), stage.Count(int(events), "event")),
		"choose fewer analyses with --run, or parts of the processors with --procs")
}

// checkCaches is checkMemory for the program orders of some processors.
func (s *Settings) checkCaches(src *store.Trace, procs []trace.Proc) error {
	refs := uint64(0)
	for p := range trace.Proc(src.Header().Procs) {
		refs += src.Totals(p).Refs
	}
	return s.checkMemory(len(procs), procs, refs)
}

// orAll returns procs, or all processors if it is nil.
func orAll(procs []trace.Proc, all int) []trace.Proc {
	if procs != nil {
		return procs
	}
	for p := range trace.Proc(all) {
		procs = append(procs, p)
	}
	return procs
}
