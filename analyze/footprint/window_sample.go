package footprint

import (
	"math/rand/v2"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// maxWindows is the maximum number of windows in the sample.
const maxWindows = 4096

// windowSample is a random sample of the windows. All windows have the same probability, which is halved
// whenever there are too many. The choice depends only on window numbers.
type windowSample struct {
	limit           int
	level           uint
	number          []uint64
	processors      []int32   // that use any block
	shared, private []float64 // mean number of blocks of these processors, by sharing within the window
}

// selects reports whether a window is in the sample.
func (w *windowSample) selects(number uint64) bool {
	return rand.NewPCG(number, 0).Uint64()&(1<<w.level-1) == 0
}

// add adds the open window of all processors if it is in the sample.
func (w *windowSample) add(number uint64, members []processor) {
	if !w.selects(number) {
		return
	}
	users, all, shared := 0, uint64(0), uint64(0)
	for i := range members {
		if c := &members[i].counts; c.current > 0 {
			users++
			all += c.current
			shared += c.currentShared
		}
	}
	w.number, w.processors = append(w.number, number), append(w.processors, int32(users))
	w.shared, w.private = append(w.shared, float64(shared)/float64(users)), append(w.private, float64(all-shared)/float64(users))
	for len(w.number) > w.limit {
		w.halve()
	}
}

// halve halves the probability.
func (w *windowSample) halve() {
	w.level++
	n := 0
	for i, number := range w.number {
		if w.selects(number) {
			w.number[n], w.processors[n], w.shared[n], w.private[n] = number, w.processors[i], w.shared[i], w.private[i]
			n++
		}
	}
	w.number, w.processors, w.shared, w.private = w.number[:n], w.processors[:n], w.shared[:n], w.private[:n]
}

// windowsTable returns the table of the sampled windows of all spaces.
func windowsTable(spaces []*space, meta []trace.Arg) *store.Table {
	var size []int64
	var number []uint64
	var processors []int32
	var shared, private []float64
	for _, s := range spaces {
		for range s.sampledWindows.number {
			size = append(size, int64(s.Size))
		}
		number, processors = append(number, s.sampledWindows.number...), append(processors, s.sampledWindows.processors...)
		shared, private = append(shared, s.sampledWindows.shared...), append(private, s.sampledWindows.private...)
	}
	return &store.Table{Name: "footprint_windows", Meta: meta, Columns: []store.Column{
		{Name: "block", Unit: "B", Data: size}, {Name: "window", Data: number}, {Name: "processors", Data: processors},
		{Name: "shared", Unit: "blocks", Data: shared}, {Name: "private", Unit: "blocks", Data: private},
	}}
}
