package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// placed is a reference or an event with its position in its processor.
type placed struct {
	pos   uint64
	event *trace.Event // nil for a reference
	addr  uint64
}

// talk makes a random sound trace: processors compute, refer to memory, send each
// other messages (whose bytes number them), meet at barriers and take locks. It
// returns the trace and the same in absolute positions.
func talk(rng *rand.Rand, procs, steps int) (all [][]placed) {
	all = make([][]placed, procs)
	now := make([]uint64, procs)
	queues := map[[2]int][]int64{}
	held := make([]bool, procs)
	request := make([]int32, procs)
	var number int64
	do := func(p int, e trace.Event) { all[p] = append(all[p], placed{now[p], &e, 0}) }
	receive := func(from, to int) {
		queue := queues[[2]int{from, to}]
		e := trace.NewEvent(trace.Recv)
		e.Peer, e.Tag, e.Bytes = int32(from), 5, queue[0]
		queues[[2]int{from, to}] = queue[1:]
		if rng.IntN(2) == 0 {
			do(to, e)
			return
		}
		e.Kind, e.Request = trace.Irecv, request[to]
		do(to, e)
		w := trace.NewEvent(trace.Wait)
		w.Request = request[to]
		request[to]++
		do(to, w)
	}
	for range steps {
		p := rng.IntN(procs)
		now[p] += uint64(rng.IntN(5))
		switch rng.IntN(12) {
		case 0:
			q := rng.IntN(procs)
			number++
			e := trace.NewEvent(trace.Send)
			e.Peer, e.Tag, e.Bytes = int32(q), 5, number
			do(p, e)
			queues[[2]int{p, q}] = append(queues[[2]int{p, q}], number)
		case 1:
			if q := rng.IntN(procs); len(queues[[2]int{p, q}]) > 0 {
				receive(p, q)
			}
		case 2:
			kind := []trace.Kind{trace.Barrier, trace.AllReduce}[rng.IntN(2)]
			for q := range procs {
				do(q, trace.NewEvent(kind))
			}
		case 3:
			e := trace.NewEvent(trace.Lock)
			if e.Peer = 1; held[p] {
				e.Kind = trace.Unlock
			}
			held[p] = !held[p]
			do(p, e)
		case 4:
			e := trace.NewEvent(trace.Compute)
			e.Work = int64(rng.IntN(9))
			do(p, e)
			now[p] += uint64(e.Work)
		case 5:
			e := trace.NewEvent(trace.Marker)
			e.Tag = int32(rng.IntN(2))
			do(p, e)
		default:
			now[p]++
			all[p] = append(all[p], placed{now[p], nil, uint64(rng.IntN(100)) * 64})
		}
	}
	for from := range procs {
		for to := range procs {
			for len(queues[[2]int{from, to}]) > 0 {
				receive(from, to)
			}
		}
	}
	return all
}

// save writes rows with their positions as the trace at prefix.
func save(t *testing.T, prefix string, all [][]placed) {
	t.Helper()
	h := trace.Header{Program: "talk", Format: "test", Procs: len(all), WorkUnit: trace.WorkInstr,
		Notes: []string{`marker 1 is "one"`}, Regions: []trace.Region{{Name: "x", Owner: 1, Base: 64, Bytes: 64}, {Name: "y", Owner: trace.Everyone, Base: 640, Bytes: 64}}}
	w, err := store.Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for p, rows := range all {
		s := store.NewSplicer(w, h, trace.Proc(p))
		for _, r := range rows {
			if r.event != nil {
				err = s.Event(r.pos, *r.event)
			} else {
				err = s.Ref(r.pos, r.addr, 8, trace.Load, 0)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Finish(0); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
}

// reload is what a sound trace holds, in absolute positions, and its header.
func reload(t *testing.T, prefix string) (all [][]placed, h trace.Header) {
	t.Helper()
	tr, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if err := trace.Check(tr); err != nil {
		t.Fatalf("%s is not sound: %v", prefix, err)
	}
	src := walk.Watch(context.Background(), &stage.Env{Err: io.Discard}, tr, "")
	for p := range tr.Header().Procs {
		var rows []placed
		_, err := walk.Walk(src, trace.Proc(p), walk.Visitor{
			Ref: func(pos, _ uint64, b *trace.Refs, i int) error {
				rows = append(rows, placed{pos, nil, b.Addr[i]})
				return nil
			},
			Event: func(pos uint64, _ int64, e *trace.Event) error {
				kept := *e
				kept.Instr, kept.Refs = 0, 0
				rows = append(rows, placed{pos, &kept, 0})
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows)
	}
	return all, tr.Header()
}

// run is a command that must succeed.
func run(t *testing.T, args ...string) (notes string) {
	t.Helper()
	status, _, errs := traces(nil, args...)
	if status != stage.Done {
		t.Fatalf("%v: status %d: %s", args, status, errs)
	}
	return errs
}

// refsOf are the positions and addresses of references.
func refsOf(rows []placed) (out []placed) {
	for _, r := range rows {
		if r.event == nil {
			out = append(out, r)
		}
	}
	return out
}

// messagesOf are the numbers of the messages that rows send and receive.
func messagesOf(rows []placed) (sent, received []int64) {
	for _, r := range rows {
		switch {
		case r.event == nil:
		case r.event.Kind == trace.Send:
			sent = append(sent, r.event.Bytes)
		case r.event.Kind == trace.Recv || r.event.Kind == trace.Irecv:
			received = append(received, r.event.Bytes)
		}
	}
	return sent, received
}

// cut is the definition of a slice: rows whose positions are between two instructions, from the first. The instruction of a
// reference ends at its position, and an event follows the instructions before it.
func cut(rows []placed, from, to uint64) (out []placed) {
	for _, r := range rows {
		if r.event == nil && (r.pos > from || from == 0) && r.pos <= to || r.event != nil && r.pos >= from && r.pos < to {
			r.pos -= from
			out = append(out, r)
		}
	}
	return out
}

func TestSlicesAreSoundAndHaveWhatTheyShould(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range testsize.Cases(80, 6) {
		procs := 1 + rng.IntN(4)
		all := talk(rng, procs, rng.IntN(300))
		save(t, "x", all)
		if got, _ := reload(t, "x"); !reflect.DeepEqual(got, all) && len(all[0]) > 0 {
			for p := range all {
				if len(all[p]) > 0 && !reflect.DeepEqual(got[p], all[p]) {
					t.Fatalf("round %d: processor %d does not survive being written", round, p)
				}
			}
		}
		first := rng.IntN(procs)
		last := first + rng.IntN(procs-first)
		from := uint64(rng.IntN(150))
		to := from + 1 + uint64(rng.IntN(150))
		run(t, "slice", "x", "--procs", fmt.Sprintf("%d-%d", first, last), "--instr", fmt.Sprintf("%d:%d", from, to), "-o", "part")
		got, _ := reload(t, "part")
		var sent, received []int64
		for p := first; p <= last; p++ {
			want := cut(all[p], from, to)
			if !slices.Equal(refsOf(got[p-first]), refsOf(want)) {
				t.Fatalf("round %d: processor %d has references\n%v\nwant\n%v", round, p, refsOf(got[p-first]), refsOf(want))
			}
			s, r := messagesOf(want)
			sent, received = append(sent, s...), append(received, r...)
		}
		for p := first; p <= last; p++ {
			s, r := messagesOf(got[p-first])
			wantSent, wantReceived := messagesOf(cut(all[p], from, to))
			if want := both(wantSent, received); !slices.Equal(s, want) {
				t.Fatalf("round %d: processor %d sends messages %v, want %v", round, p, s, want)
			}
			if want := both(wantReceived, sent); !slices.Equal(r, want) {
				t.Fatalf("round %d: processor %d receives messages %v, want %v", round, p, r, want)
			}
		}
	}
}

// gossip makes a random sound trace in which receives may take any sender or tag.
func gossip(rng *rand.Rand, procs, steps int) (all [][]placed) {
	all = make([][]placed, procs)
	now := make([]uint64, procs)
	pending := map[int][][2]int32{} // sender and tag of what waits for a processor
	do := func(p int, kind trace.Kind, peer, tag int32) {
		e := trace.NewEvent(kind)
		e.Peer, e.Tag, e.Bytes = peer, tag, 8
		all[p] = append(all[p], placed{now[p], &e, 0})
	}
	receive := func(q int) {
		waiting := pending[q]
		i := rng.IntN(len(waiting))
		m := waiting[i]
		i = slices.Index(waiting, m) // the first of its flow
		pending[q] = slices.Delete(waiting, i, i+1)
		peer, tag := m[0], m[1]
		if rng.IntN(3) == 0 {
			peer = trace.None
		}
		if rng.IntN(3) == 0 {
			tag = trace.None
		}
		do(q, trace.Recv, peer, tag)
	}
	for range steps {
		p, q := rng.IntN(procs), rng.IntN(procs)
		now[p] += uint64(rng.IntN(5))
		if len(pending[q]) > 0 && rng.IntN(2) == 0 {
			receive(q)
			continue
		}
		tag := int32(rng.IntN(2))
		do(p, trace.Send, int32(q), tag)
		pending[q] = append(pending[q], [2]int32{int32(p), tag})
	}
	for q := range procs {
		for len(pending[q]) > 0 {
			receive(q)
		}
	}
	return all
}

func TestSlicesWithWildcardsAreSound(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(3, 4))
	for range testsize.Cases(150, 6) {
		procs := 1 + rng.IntN(5)
		save(t, "x", gossip(rng, procs, 20+rng.IntN(100)))
		reload(t, "x")
		first := rng.IntN(procs)
		last := first + rng.IntN(procs-first)
		from := rng.IntN(40)
		for _, args := range [][]string{
			{"--procs", fmt.Sprintf("%d-%d", first, last)},
			{"--instr", fmt.Sprintf("%d:%d", from, from+1+rng.IntN(60))},
			{"--procs", fmt.Sprintf("%d-%d", first, last), "--instr", fmt.Sprintf("%d:", from)},
		} {
			run(t, append([]string{"slice", "x", "-o", "part"}, args...)...)
			reload(t, "part")
		}
	}
	save(t, "x", gossip(rng, 4, 200))
	run(t, "slice", "x", "-o", "part", "--procs", "0-3")
	whole, _ := reload(t, "x")
	if got, _ := reload(t, "part"); !reflect.DeepEqual(got, whole) {
		t.Error("a slice of all is not the whole")
	}
}

// both is what of a is in b too.
func both(a, b []int64) (out []int64) {
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

// Two parts that adjoin have all references of the whole, and as many instructions.
func TestPartsMakeTheWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(3, 4))
	for range testsize.Cases(40, 3) {
		all := talk(rng, 2, 200)
		save(t, "x", all)
		at := uint64(1 + rng.IntN(200))
		run(t, "slice", "x", "--instr", fmt.Sprintf(":%d", at), "-o", "a")
		run(t, "slice", "x", "--instr", fmt.Sprintf("%d:", at), "-o", "b")
		a, _ := reload(t, "a")
		b, _ := reload(t, "b")
		for p := range all {
			joined := refsOf(a[p])
			for _, r := range refsOf(b[p]) {
				r.pos += at
				joined = append(joined, r)
			}
			if !slices.Equal(joined, refsOf(all[p])) {
				t.Fatalf("processor %d, cut at %d: references\n%v\nof\n%v", p, at, joined, refsOf(all[p]))
			}
		}
		if got, want := instructions(t, "a")+instructions(t, "b"), instructions(t, "x"); got != want && instructions(t, "b") > 0 {
			t.Fatalf("parts have %d instructions, the whole %d", got, want)
		}
	}
}

func instructions(t *testing.T, prefix string) (n uint64) {
	t.Helper()
	tr, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for p := range tr.Header().Procs {
		n += uint64(tr.Totals(trace.Proc(p)).Instr)
	}
	return n
}

func TestSliceBetweenMarkers(t *testing.T) {
	t.Chdir(t.TempDir())
	mark := func(tag int32) *trace.Event {
		e := trace.NewEvent(trace.Marker)
		e.Tag = tag
		return &e
	}
	rows := []placed{{1, nil, 64}, {1, mark(0), 0}, {2, nil, 128}, {2, mark(1), 0}, {3, nil, 192}, {5, mark(1), 0}, {6, nil, 256}}
	save(t, "x", [][]placed{rows, rows})
	for _, c := range []struct {
		marker string
		want   []placed
	}{
		{"0:1", []placed{{1, nil, 128}}},
		{"0:one", []placed{{1, nil, 128}}},
		{"1:1", []placed{{1, nil, 192}}},
		{"1", []placed{{1, nil, 192}, {4, nil, 256}}},
	} {
		t.Run(c.marker, func(t *testing.T) {
			run(t, "slice", "x", "--marker", c.marker, "-o", "part")
			for p, got := range first(reload(t, "part")) {
				if !slices.Equal(refsOf(got), c.want) {
					t.Errorf("marker %s: processor %d has %v, want %v", c.marker, p, refsOf(got), c.want)
				}
			}
		})
	}
	for _, bad := range []string{"2", "1:2", "0:0", "two"} {
		t.Run(bad, func(t *testing.T) {
			if status, out, errs := traces(nil, "slice", "x", "--marker", bad, "-o", "none"); status == stage.Done || out != "" || errs == "" {
				t.Errorf("marker %s: status %d, %q", bad, status, errs)
			}
		})
	}
	if left, _ := filepath.Glob("none*"); len(left) > 0 {
		t.Errorf("failed slices leave %v", left)
	}
}

func first[A, B any](a A, _ B) A { return a }

func TestSliceKeepsTheHeader(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, "x", talk(rand.New(rand.NewPCG(5, 6)), 3, 100))
	run(t, "slice", "x", "--procs", "1-2", "-o", "part")
	_, h := reload(t, "part")
	if h.Program != "talk" || h.Procs != 2 || len(h.Inputs) != 1 || len(h.Regions) != 2 || h.Regions[0].Owner != 0 ||
		!slices.Contains(h.Notes, "processors 1-2 of 3, numbered anew") {
		t.Errorf("header %+v", h)
	}
}

// Rows of a graph name the rows they need; those that remain name the same ones.
func TestSliceKeepsNeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	var rows []placed
	for i := range 4 {
		e := trace.NewEvent(trace.Compute)
		if e.Needs = []int64{}; i > 0 {
			e.Needs = []int64{int64(i - 1)}
		}
		rows = append(rows, placed{uint64(i), &e, 0})
	}
	save(t, "x", [][]placed{rows})
	run(t, "slice", "x", "--instr", "1:", "-o", "part")
	got, _ := reload(t, "part")
	var needs [][]int64
	for _, r := range got[0] {
		needs = append(needs, r.event.Needs)
	}
	if want := [][]int64{{}, {0}, {1}}; !reflect.DeepEqual(needs, want) {
		t.Errorf("needs %v, want %v", needs, want)
	}
}

// Parts and samples of a trace without events, in which references alone say how far a processor came.
func TestLongGapsBetweenReferences(t *testing.T) {
	t.Chdir(t.TempDir())
	h := trace.Header{Program: "far", Format: "test", Procs: 1}
	w, err := store.Create("x", h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	var refs trace.Refs
	for i := range uint64(40) {
		refs.Append(4e9, i*64, 8, trace.Load)
	}
	if err := w.Refs(&refs); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"slice", "x", "--instr", "0:11000000000"},
		{"slice", "x", "--instr", "9000000000:100000000000"},
		{"sample", "x", "--by", "line", "--rate", "0.2"},
		{"sample", "x", "--by", "window", "--window", "2", "--rate", "0.2"},
	} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			run(t, append(args, "-o", "part")...)
			got, _ := reload(t, "part") // checks it
			from := uint64(0)
			if args[3][0] == '9' {
				from = 9e9
			}
			for _, r := range refsOf(got[0]) {
				if want := (r.addr/64 + 1) * 4e9; r.pos+from != want {
					t.Errorf("%v: line %d at %d, want %d", args, r.addr/64, r.pos+from, want)
				}
			}
		})
	}
}
