package reuse

import (
	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Path is the work of one processor between barriers of all processors. It has at most maxWorks parts. If there
// are more barriers, parts cover several phases. Equal numbers of barriers give equal parts.
type Path struct {
	Works []Work
	Every int // barriers for each part
	Since int // barriers since the last part
	Sum   Work
}

// Work counts what a processor executes.
type Work struct {
	Instr unit.Instructions
	Refs  uint64 // references that use lines
}

// maxWorks is even.
const maxWorks = 1 << 10

// pass notes a barrier, if all processors meet there. Members of other groups meet each other only.
func (a *Path) pass(e *trace.Event, now Work) {
	if e.Kind == trace.Barrier && e.Group < 0 {
		a.meet(now)
	}
}

// meet notes a barrier of all processors.
func (a *Path) meet(now Work) {
	a.Every = max(a.Every, 1)
	if a.Since++; a.Since < a.Every {
		return
	}
	a.cut(now)
	if len(a.Works) < maxWorks {
		return
	}
	for i := range maxWorks / 2 {
		x, y := a.Works[2*i], a.Works[2*i+1]
		a.Works[i] = Work{x.Instr + y.Instr, x.Refs + y.Refs}
	}
	a.Works, a.Every = a.Works[:maxWorks/2], 2*a.Every
}

// cut ends a part.
func (a *Path) cut(now Work) {
	a.Works = append(a.Works, Work{now.Instr - a.Sum.Instr, now.Refs - a.Sum.Refs})
	a.Sum, a.Since = now, 0
}

// Critical returns the work of the processor with most instructions, summed over the parts. No run takes less time
// than this work. If processors do not pass the same barriers, all of their work is one part. It is unknown if a
// processor has no path, as in results of older versions.
func Critical(paths []*Path) (sum Work, known bool) {
	parts := -1
	for i, a := range paths {
		if len(a.Works) == 0 {
			return Work{}, false
		}
		if i > 0 && (len(a.Works) != len(paths[0].Works) || a.Every != paths[0].Every) {
			parts = 0
		}
	}
	if parts < 0 && len(paths) > 0 {
		parts = len(paths[0].Works)
	}
	if parts == 0 {
		return longest(paths, func(a *Path) Work { return a.Sum }), true
	}
	for i := range max(0, parts) {
		w := longest(paths, func(a *Path) Work { return a.Works[i] })
		sum = Work{sum.Instr + w.Instr, sum.Refs + w.Refs}
	}
	return sum, len(paths) > 0
}

// longest returns the work with most instructions, and of equal ones that with most references.
func longest(paths []*Path, of func(*Path) Work) (most Work) {
	for _, a := range paths {
		if w := of(a); w.Instr > most.Instr || w.Instr == most.Instr && w.Refs > most.Refs {
			most = w
		}
	}
	return most
}

// work returns what the shard has counted.
func (s *Shard) work() Work { return Work{s.Instr, s.Refs} }

// passed notes the event of a chunk, after its references.
func (s *Shard) passed(p *analysis.Chunk) {
	if p.Event != nil {
		s.Path.pass(p.Event, s.work())
	}
}
