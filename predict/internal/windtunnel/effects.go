package windtunnel

import (
	"fmt"
	"strings"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// Effects declares that processing times follow from instructions, barriers and locks, and misses of the host
// from loads and stores. A warning names all other rows.
func Effects() analysis.Effects {
	ops := analysis.AllOps(analysis.Noted)
	ops[trace.Load], ops[trace.Store] = analysis.Used, analysis.Used
	return analysis.Effects{Ops: ops, Kinds: analysis.AllKinds(analysis.Noted).
		With(analysis.Used, trace.Compute, trace.Barrier, trace.Lock, trace.Unlock).With(analysis.Outside, trace.Marker)}
}

// ignored warns of rows of the trace that no model uses.
func (r *Run) ignored() {
	var names []string
	of := func(name string, e analysis.Effect) {
		if p, known := r.Params.Lookup("per_quantum_" + name); known && p.Value > 0 && e == analysis.Noted {
			names = append(names, name)
		}
	}
	effects := Effects()
	for _, op := range trace.Ops {
		of(op.String(), effects.Ops[op])
	}
	for _, k := range trace.Kinds {
		of(k.String(), effects.Kinds[k])
	}
	if len(names) > 0 {
		r.Warnings = append(r.Warnings, fmt.Errorf("no model uses these rows of the trace: %s", strings.Join(names, ", ")))
	}
}
