package reuse

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// The critical path is the work of the processor with most instructions, phase by phase. With many barriers it is of
// several phases at a time. Barriers of some processors end no phase.
func TestCritical(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 1))
	for _, barriers := range []int{0, 1, 5, maxWorks - 1, 3*maxWorks + 7} {
		t.Run(fmt.Sprint(barriers), func(t *testing.T) {
			paths, sums := make([]*Path, 3), make([]Work, 3)
			for p := range paths {
				paths[p] = &Path{}
			}
			var want, longest Work
			for phase := range barriers + 1 {
				most := Work{}
				for p := range paths {
					w := Work{unit.Instructions(r.IntN(100)), uint64(r.IntN(10))}
					if w.Instr > most.Instr || w.Instr == most.Instr && w.Refs > most.Refs {
						most = w
					}
					sums[p] = Work{sums[p].Instr + w.Instr, sums[p].Refs + w.Refs}
					paths[p].pass(&trace.Event{Kind: trace.Barrier, Group: int32(p)}, sums[p])
					if phase < barriers {
						paths[p].pass(&trace.Event{Kind: trace.Barrier, Group: trace.None}, sums[p])
					} else {
						paths[p].cut(sums[p])
					}
				}
				want = Work{want.Instr + most.Instr, want.Refs + most.Refs}
			}
			for _, s := range sums {
				longest.Instr = max(longest.Instr, s.Instr)
			}
			got, known := Critical(paths)
			if !known || barriers < maxWorks && got != want || got.Instr > want.Instr || got.Instr < longest.Instr || len(paths[0].Works) > maxWorks {
				t.Errorf("%d barriers: %+v in %d parts, not %+v", barriers, got, len(paths[0].Works), want)
			}
			paths[1].pass(&trace.Event{Kind: trace.Barrier, Group: trace.None}, sums[1])
			if paths[1].Every <= 1 {
				if got, _ := Critical(paths); got.Instr != longest.Instr {
					t.Errorf("%d barriers, one more on a processor: %+v, not %+v", barriers, got, longest)
				}
			}
		})
	}
	if _, known := Critical([]*Path{{}}); known {
		t.Error("a shard of an older version has a path")
	}
}
