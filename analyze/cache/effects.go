package cache

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that references use lines, and that flushes and prefetches move them. It notes those that no
// first level serves.
func (a *Analysis) Effects() analysis.Effects {
	ops := analysis.LineEffects(a.measured(), analysis.Used)
	for _, op := range trace.Ops {
		if ops[op] == analysis.Used && a.Why(op) != "" {
			ops[op] = analysis.Noted
		}
	}
	return analysis.Effects{Ops: ops, Kinds: analysis.OrderKinds()}
}

// measured returns the references whose lines are measured.
func (a *Analysis) measured() trace.OpSet { return cmp.Or(a.Refs, trace.DataOps|trace.FetchOps) }

// An example is a first level that a user can add, for the caches and for the TLBs.
type example struct {
	serves Side
	level  [2]string
}

// examples lists one for each side.
var examples = []example{
	{data, [2]string{"L1d=32KiB/8/64B", "dtlb=64/4/4KiB"}},
	{instr, [2]string{"L1i=32KiB/8/64B", "itlb=64/4/4KiB"}},
}

// Why says which hierarchies an operation does not enter, and how to change that. It returns "" if the operation
// enters all that the descriptions have.
func (a *Analysis) Why(op trace.Op) string {
	var at, add []string
	for i, name := range []string{"caches", "TLBs"} {
		tlb := i == 1
		if (tlb && op == trace.Flush) || !a.has(tlb) {
			continue // no flush is of a TLB
		}
		served, missing := false, ""
		for _, e := range slices.Backward(examples) {
			if !a.uses(op, e.serves) {
				continue
			}
			missing = e.level[i]
			served = served || slices.ContainsFunc(a.Specs, func(s Spec) bool { return s.enters(tlb, e.serves) })
		}
		if !served && missing != "" {
			at, add = append(at, name), append(add, missing)
		}
	}
	if len(at) == 0 {
		return ""
	}
	return fmt.Sprintf(", because no first level of the %s serves them; add %s to --cache", strings.Join(at, " and "), strings.Join(add, ","))
}

// has reports whether a description has caches, or TLBs.
func (a *Analysis) has(tlb bool) bool {
	return slices.ContainsFunc(a.Specs, func(s Spec) bool { return slices.ContainsFunc(s.Levels, func(l Level) bool { return l.TLB == tlb }) })
}

// uses reports whether an operation uses or removes lines of the measured references of a side.
func (a *Analysis) uses(op trace.Op, side Side) bool {
	of := map[Side]trace.OpSet{data: trace.DataOps, instr: trace.FetchOps}[side] & a.measured()
	return of != 0 && of.WithMoves().Has(op)
}
