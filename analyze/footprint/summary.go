package footprint

import (
	"fmt"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// summary has the footprints of [falsafi1997] for printing. A row for each cache and number of processes has
// the blocks that processes lose when they take turns, simulated and by the model.
type summary struct {
	size, processes                       []int64
	cache                                 []string
	shared, average, largest, loss, model []float64
}

func (t *summary) add(s *space, turns *schedules, k *schedule, f footprintMeans) {
	if k.reruns == 0 || k == turns.bySize[0] {
		return
	}
	model, err := turns.shape.sequentialInterference(k.processes-1, f.shared, f.average, f.average)
	if err != nil {
		return // the footprints are too large for the sums of the model
	}
	t.size, t.cache = append(t.size, int64(s.Size)), append(t.cache, fmt.Sprintf("%dx%d", turns.shape.Sets, turns.shape.Ways))
	t.processes = append(t.processes, int64(k.processes))
	t.shared, t.average, t.largest = append(t.shared, f.shared), append(t.average, f.average), append(t.largest, f.largest)
	t.loss, t.model = append(t.loss, float64(k.evicted)/float64(k.reruns)), append(t.model, model)
}

func (t *summary) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "summary", Meta: meta, Columns: []store.Column{
		{Name: "block", Unit: "B", Data: t.size}, {Name: "f_s", Unit: "blocks", Data: t.shared},
		{Name: "f_avg", Unit: "blocks", Data: t.average}, {Name: "f_max", Unit: "blocks", Data: t.largest},
		{Name: "cache", Data: t.cache}, {Name: "processes", Data: t.processes},
		{Name: "loss", Unit: "blocks", Data: t.loss}, {Name: "model", Unit: "blocks", Data: t.model},
	}}
}
