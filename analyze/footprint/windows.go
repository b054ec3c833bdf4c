package footprint

import (
	"math/rand/v2"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// maxWindows is how many windows are kept at most.
const maxWindows = 4096

// windows is some of the windows, chosen at random: each with the same probability, which becomes half whenever
// there are too many. What is kept depends on their numbers alone.
type windows struct {
	limit           int
	level           uint
	number          []uint64
	processors      []int32   // that use anything
	shared, private []float64 // blocks of each of them, on average, by sharing within the window
}

// wants says whether a window is one of those that are kept.
func (w *windows) wants(number uint64) bool {
	return rand.NewPCG(number, 0).Uint64()&(1<<w.level-1) == 0
}

// add adds the open window of all members, if it is wanted.
func (w *windows) add(number uint64, members []member) {
	if !w.wants(number) {
		return
	}
	users, all, shared := 0, uint64(0), uint64(0)
	for i := range members {
		if c := &members[i].counts; c.now > 0 {
			users++
			all += c.now
			shared += c.sharedNow
		}
	}
	w.number, w.processors = append(w.number, number), append(w.processors, int32(users))
	w.shared, w.private = append(w.shared, float64(shared)/float64(users)), append(w.private, float64(all-shared)/float64(users))
	for len(w.number) > w.limit {
		w.thin()
	}
}

// thin makes the probability half.
func (w *windows) thin() {
	w.level++
	n := 0
	for i, number := range w.number {
		if w.wants(number) {
			w.number[n], w.processors[n], w.shared[n], w.private[n] = number, w.processors[i], w.shared[i], w.private[i]
			n++
		}
	}
	w.number, w.processors, w.shared, w.private = w.number[:n], w.processors[:n], w.shared[:n], w.private[:n]
}

// windowsTable is the windows of all spaces.
func windowsTable(spaces []*space, meta []trace.Arg) *store.Table {
	var size []int64
	var number []uint64
	var processors []int32
	var shared, private []float64
	for _, s := range spaces {
		for range s.kept.number {
			size = append(size, int64(s.Size))
		}
		number, processors = append(number, s.kept.number...), append(processors, s.kept.processors...)
		shared, private = append(shared, s.kept.shared...), append(private, s.kept.private...)
	}
	return &store.Table{Name: "footprint_windows", Meta: meta, Columns: []store.Column{
		{Name: "block", Unit: "B", Data: size}, {Name: "window", Data: number}, {Name: "processors", Data: processors},
		{Name: "shared", Unit: "blocks", Data: shared}, {Name: "private", Unit: "blocks", Data: private},
	}}
}
