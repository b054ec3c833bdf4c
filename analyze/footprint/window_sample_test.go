package footprint

import (
	"slices"
	"testing"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// The windows of byWindow of the other tables: as many as are counted, with the same means.
func TestWindowsAreThoseCounted(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 3}, RefsOf: make([]trace.Refs, 3), EventsOf: make([]trace.Events, 3)}
	for p := range 3 {
		m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
		for i := range 200 * (p + 1) { // those with less end earlier
			m.RefsOf[p].Append(1, uint64(i*p%50*64+i%3*4096), 8, trace.Load)
		}
	}
	r, err := run(t, m, &Analysis{Window: Window{Quanta, 10}, Blocks: []Blocks{{Name: "cache", Size: 64}}})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Tables, func(t *store.Table) bool { return t.Name == "footprint_windows" })
	if i < 0 {
		t.Fatal("no table")
	}
	processors, _ := store.Data[int32](r.Tables[i], "processors")
	shared, _ := store.Data[float64](r.Tables[i], "shared")
	private, _ := store.Data[float64](r.Tables[i], "private")
	proc, _ := store.Data[int32](r.Full, "proc")
	windows, _ := store.Data[uint64](r.Full, "windows")
	inShared, _ := store.Data[float64](r.Full, "window_shared")
	inPrivate, _ := store.Data[float64](r.Full, "window_private")
	var users, sumShared, sumPrivate, wantUsers, wantShared, wantPrivate float64
	for i := range processors {
		users += float64(processors[i])
		sumShared += float64(processors[i]) * shared[i]
		sumPrivate += float64(processors[i]) * private[i]
	}
	for i := range proc {
		if proc[i] >= 0 {
			wantUsers += float64(windows[i])
			wantShared += float64(windows[i]) * inShared[i]
			wantPrivate += float64(windows[i]) * inPrivate[i]
		}
	}
	if len(processors) != 60 || users != wantUsers || !near(sumShared, wantShared) || !near(sumPrivate, wantPrivate) {
		t.Errorf("%d windows: %v, %v, %v; want %v, %v, %v", len(processors), users, sumShared, sumPrivate, wantUsers, wantShared, wantPrivate)
	}
}

func near(got, want float64) bool { return got-want < 1e-9 && want-got < 1e-9 }

// Of very many windows so many are kept, all over the run, and the same whatever the limit was before.
func TestWindowsThin(t *testing.T) {
	members := make([]processor, 2)
	members[0].counts.current = 5
	w := windowSample{limit: 64}
	const n = 10000
	for i := range uint64(n) {
		w.add(i+1, members)
		if i < 64 && len(w.number) != int(i)+1 {
			t.Fatalf("%d of %d windows are kept", len(w.number), i+1)
		}
	}
	if k := len(w.number); k > 64 || k < 16 || len(w.processors) != k || len(w.private) != k || !slices.IsSorted(w.number) || w.number[0] > n/4 || w.number[k-1] < 3*n/4 {
		t.Errorf("%d kept: %v", k, w.number)
	}
	all := windowSample{limit: n, level: w.level}
	for i := range uint64(n) {
		all.add(i+1, members)
	}
	if !slices.Equal(all.number, w.number) || w.private[0] != 5 || w.processors[0] != 1 {
		t.Errorf("thinned %v, chosen at once %v", w.number, all.number)
	}
}
