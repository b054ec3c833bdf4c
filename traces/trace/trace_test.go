package trace

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestNamesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range Ops {
		if !o.Valid() || o.String() == "invalid" || seen[o.String()] {
			t.Errorf("operation %d: %q", o, o)
		}
		seen[o.String()] = true
	}
	seen = map[string]bool{}
	for _, k := range Kinds {
		if !k.Valid() || k.String() == "invalid" || k.String() == "" || seen[k.String()] {
			t.Errorf("kind %d: %q", k, k)
		}
		seen[k.String()] = true
	}
	if len(Ops) != 5 || len(Kinds) != 26 {
		t.Errorf("%d operations, %d kinds", len(Ops), len(Kinds))
	}
	for _, o := range []Op{0, endOp, 255} {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			if o.Valid() || o.String() != "invalid" {
				t.Errorf("operation %d: %q", uint8(o), o)
			}
		})
	}
	for _, k := range []Kind{0, endKind, 255} {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			if k.Valid() || k.String() != "invalid" {
				t.Errorf("kind %d: %q", uint8(k), k)
			}
		})
	}
	for o, want := range map[Op]bool{Load: true, Store: true, Ifetch: false, Prefetch: false, Flush: false} {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			if o.Data() != want {
				t.Errorf("%s: Data is %v", o, o.Data())
			}
		})
	}
}

func TestNewEventHasNoPeer(t *testing.T) {
	e := NewEvent(Send)
	if e.Kind != Send || e.Peer != None || e.Tag != None || e.Group != None || e.Request != None || e.Needs != nil {
		t.Errorf("%+v", e)
	}
}

func TestTitle(t *testing.T) {
	h := Header{Program: "fft", Args: []Arg{{"points", "64"}, {"x", "1 2"}}}
	if got := h.Title(); got != "fft points=64 x=1 2" {
		t.Error(got)
	}
	if got := (Header{Program: "gzip -1"}).Title(); got != "gzip -1" {
		t.Error(got)
	}
}

// refsOf makes references of one instruction each.
func refsOf(p Proc, n int) Refs {
	r := Refs{Proc: p}
	for i := range n {
		r.Append(1, uint64(64*i), 8, Ops[i%len(Ops)])
	}
	return r
}

func TestRefsColumns(t *testing.T) {
	r := refsOf(3, 10)
	r.PC = make([]uint64, 10)
	s := r.Slice(2, 5)
	if s.Len() != 3 || s.Proc != 3 || s.Addr[0] != 128 || len(s.PC) != 3 {
		t.Errorf("%+v", s)
	}
	s.Addr[0] = 7
	if r.Addr[2] != 7 {
		t.Error("a slice has its own memory")
	}
	r.Reset()
	if r.Len() != 0 || r.PC == nil || cap(r.Addr) == 0 || r.Proc != 3 {
		t.Errorf("after Reset: %+v", r)
	}
	r = refsOf(0, 4)
	if s := r.Slice(1, 1); s.Len() != 0 || s.PC != nil {
		t.Errorf("%+v", s)
	}
}

func TestMemory(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 6} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			m := &Memory{Head: Header{Procs: 3}, RefsOf: []Refs{refsOf(0, n), refsOf(1, 1)}, EventsOf: []Events{{Proc: 0}, {Proc: 1, Rows: []Event{NewEvent(Barrier)}}}}
			m.InBatches(5)
			var seen string
			for b, err := range m.Refs() {
				if err != nil {
					t.Fatal(err)
				}
				seen += fmt.Sprint(b.Proc, ":", b.Len(), " ")
			}
			want := map[int]string{0: "", 1: "0:1 ", 4: "0:4 ", 5: "0:5 ", 6: "0:5 0:1 "}[n] + "1:1 "
			if seen != want {
				t.Errorf("%d references in batches of 5: %q, want %q", n, seen, want)
			}
		})
	}
	m := &Memory{Head: Header{Procs: 3}, RefsOf: []Refs{refsOf(0, 2), refsOf(1, 2)}, EventsOf: []Events{{Proc: 0, Rows: []Event{NewEvent(Barrier)}}}}
	for _, c := range []struct {
		procs []Proc
		want  int
	}{{nil, 4}, {[]Proc{1}, 2}, {[]Proc{1, 1}, 4}, {[]Proc{2}, 0}, {[]Proc{-1, 7}, 0}} {
		t.Run(fmt.Sprint(c.want), func(t *testing.T) {
			n := 0
			for b := range m.Refs(c.procs...) {
				n += b.Len()
			}
			if n != c.want {
				t.Errorf("references of %v: %d, want %d", c.procs, n, c.want)
			}
		})
	}
	for range m.Refs() {
		break // must not panic
	}
	for range m.Events() {
		break
	}
	n := 0
	for b := range m.Events(0, 1, 2) {
		n += b.Len()
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestSyntaxError(t *testing.T) {
	for _, c := range []struct {
		err  SyntaxError
		want string
	}{
		{SyntaxError{File: "a", Line: 7, Msg: "wrong"}, "a:7: wrong"},
		{SyntaxError{File: "a", Record: 2, Offset: 16, Msg: "wrong"}, "a: record 2, offset 16: wrong"},
		{SyntaxError{File: "a", Msg: "wrong"}, "a: record 0, offset 0: wrong"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := c.err.Error(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestCheckRefs(t *testing.T) {
	h := Header{Procs: 2}
	for n := range 4 {
		r := refsOf(1, n)
		if err := CheckRefs(h, &r); err != nil {
			t.Errorf("%d good references: %v", n, err)
		}
	}
	for name, c := range map[string]struct {
		spoil  func(h *Header, r *Refs)
		row    int
		reason string
	}{
		"negative processor": {func(h *Header, r *Refs) { r.Proc = -1 }, 0, "no such processor: the trace has 2"},
		"no such processor":  {func(h *Header, r *Refs) { r.Proc = 2 }, 0, "no such processor"},
		"no processors":      {func(h *Header, r *Refs) { h.Procs = 0 }, 0, "no such processor"},
		"short instr":        {func(h *Header, r *Refs) { r.Instr = r.Instr[:2] }, 0, "unequal length"},
		"short size":         {func(h *Header, r *Refs) { r.Size = r.Size[:2] }, 0, "unequal length"},
		"short op":           {func(h *Header, r *Refs) { r.Op = r.Op[:2] }, 0, "unequal length"},
		"short addr":         {func(h *Header, r *Refs) { r.Addr = r.Addr[:2] }, 0, "unequal length"},
		"short pc":           {func(h *Header, r *Refs) { h.HasPC, r.PC = true, r.Addr[:2] }, 0, "unequal length"},
		"pc not announced":   {func(h *Header, r *Refs) { r.PC = r.Addr }, 0, "pc column"},
		"pc missing":         {func(h *Header, r *Refs) { h.HasPC = true }, 0, "pc column"},
		"operation 0":        {func(h *Header, r *Refs) { r.Op[1] = 0 }, 1, "unknown operation 0"},
		"operation 6":        {func(h *Header, r *Refs) { r.Op[2] = endOp }, 2, "unknown operation 6"},
		"operation 255":      {func(h *Header, r *Refs) { r.Op[2] = 255 }, 2, "unknown operation 255"},
		"size 0":             {func(h *Header, r *Refs) { r.Size[0] = 0 }, 0, "0 bytes"},
		"wraps around":       {func(h *Header, r *Refs) { r.Addr[2], r.Size[2] = math.MaxUint64, 2 }, 2, "wraps around"},
		"wraps far around":   {func(h *Header, r *Refs) { r.Addr[2], r.Size[2] = math.MaxUint64-65533, 65535 }, 2, "wraps around"},
		"the first of two":   {func(h *Header, r *Refs) { r.Size[1], r.Size[2] = 0, 0 }, 1, "0 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			h, r := h, refsOf(1, 3)
			c.spoil(&h, &r)
			var invalid *BatchError
			if err := CheckRefs(h, &r); !errors.As(err, &invalid) || invalid.Row != c.row || !strings.Contains(invalid.Msg, c.reason) {
				t.Errorf("%v; want row %d, %q", err, c.row, c.reason)
			}
		})
	}
	last := Refs{Proc: 0}
	last.Append(1, math.MaxUint64, 1, Load)
	last.Append(1, math.MaxUint64-65534, 65535, Store)
	last.Append(1, 0, 1, Flush)
	if err := CheckRefs(h, &last); err != nil {
		t.Errorf("up to the last byte: %v", err)
	}
}

// A batch is legal if every row is, wherever an illegal one lies among others.
func TestCheckRefsIsDefinition(t *testing.T) {
	h := Header{Procs: 2}
	for _, n := range []int{1, 7, 8, 9, 17} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for at := range n {
				for op := range 256 {
					for _, size := range []uint16{0, 1, 0x80, 0x8000, math.MaxUint16} {
						for _, addr := range []uint64{0, 1 << 62, 1 << 63, math.MaxUint64} {
							r := refsOf(1, n)
							r.Op[at], r.Size[at], r.Addr[at] = Op(op), size, addr
							want := Op(op).Valid() && size > 0 && addr+uint64(size)-1 >= addr
							if err := CheckRefs(h, &r); (err == nil) != want {
								t.Fatalf("row %d of %d, operation %d of %d bytes at %#x: %v", at, n, op, size, addr, err)
							}
						}
					}
				}
			}
		})
	}
}

func TestCountData(t *testing.T) {
	var ops []Op
	want := 0
	for i := range 100 {
		if got := CountData(ops); got != want {
			t.Fatalf("%d of %v are of data, not %d", want, ops, got)
		}
		o := Ops[(i*i/3+i)%len(Ops)]
		ops = append(ops, o)
		if o.Data() {
			want++
		}
	}
}

func TestCheckEvents(t *testing.T) {
	h := Header{Procs: 2}
	good := func() Events {
		e := Events{Proc: 1, Rows: []Event{NewEvent(Send), NewEvent(Compute), NewEvent(Barrier)}}
		for i := range e.Rows {
			e.Rows[i].Refs = uint64(10 * i)
		}
		return e
	}
	e := good()
	if err := CheckEvents(h, &e, 0, 20); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		spoil       func(e *Events)
		last, total uint64
		row         int
		reason      string
	}{
		"no such processor": {func(e *Events) { e.Proc = 2 }, 0, 20, 0, "no such processor"},
		"kind 0":            {func(e *Events) { e.Rows[1].Kind = 0 }, 0, 20, 1, "unknown kind of event 0"},
		"kind 255":          {func(e *Events) { e.Rows[1].Kind = 255 }, 0, 20, 1, "unknown kind of event 255"},
		"refs back":         {func(e *Events) { e.Rows[2].Refs = 9 }, 0, 20, 2, "barrier after 9 references follows an event after 10"},
		"refs before last":  {func(e *Events) {}, 1, 20, 0, "send after 0 references follows an event after 1"},
		"too many refs":     {func(e *Events) {}, 0, 19, 2, "after 20 references, but the processor has 19"},
		"peer":              {func(e *Events) { e.Rows[0].Peer = -2 }, 0, 20, 0, "below -1"},
		"tag":               {func(e *Events) { e.Rows[0].Tag = -2 }, 0, 20, 0, "below -1"},
		"group":             {func(e *Events) { e.Rows[0].Group = -2 }, 0, 20, 0, "below -1"},
		"request":           {func(e *Events) { e.Rows[0].Request = math.MinInt32 }, 0, 20, 0, "below -1"},
		"bytes":             {func(e *Events) { e.Rows[2].Bytes = -1 }, 0, 20, 2, "negative"},
		"count":             {func(e *Events) { e.Rows[2].Count = -1 }, 0, 20, 2, "negative"},
		"block":             {func(e *Events) { e.Rows[2].Block = -1 }, 0, 20, 2, "negative"},
		"work":              {func(e *Events) { e.Rows[1].Work = math.MinInt64 }, 0, 20, 1, "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			e := good()
			c.spoil(&e)
			var invalid *BatchError
			if err := CheckEvents(h, &e, c.last, c.total); !errors.As(err, &invalid) || invalid.Row != c.row || !strings.Contains(invalid.Msg, c.reason) {
				t.Errorf("%v; want row %d, %q", err, c.row, c.reason)
			}
		})
	}
	e = good()
	e.Rows[0].Stride, e.Rows[0].Addr = -8, -1 // strides go back, and addresses are of any 64 bits
	if err := CheckEvents(h, &e, 0, math.MaxUint64); err != nil {
		t.Error(err)
	}
}

// event is an event at a place.
func event(k Kind, instr uint32, refs uint64) Event {
	e := NewEvent(k)
	e.Instr, e.Refs = instr, refs
	return e
}

func to(e Event, peer, tag int32) Event {
	e.Peer, e.Tag, e.Group = peer, tag, 0
	return e
}

// sound has two processors of ten references, one each instruction, and messages.
func sound() *Memory {
	m := &Memory{Head: Header{Procs: 2, WorkUnit: WorkInstr}, RefsOf: []Refs{refsOf(0, 10), refsOf(1, 10)}}
	m.EventsOf = []Events{
		{Proc: 0, Rows: []Event{to(event(Barrier, 0, 0), 0, None), event(Lock, 5, 5), event(Unlock, 1, 5), to(event(Send, 2, 8), 1, 7), event(Compute, 3, 10)}},
		{Proc: 1, Rows: []Event{to(event(Barrier, 1, 0), 0, None), to(event(Recv, 9, 10), 0, 7)}},
	}
	return m
}

func TestCheckOfSoundTraces(t *testing.T) {
	big := sound()
	big.RefsOf[0].Instr[3] = math.MaxUint32 // 2^33 instructions: the events alone have the position
	big.EventsOf[0].Rows = append([]Event{event(Compute, math.MaxUint32, 3), event(Compute, math.MaxUint32, 3)}, big.EventsOf[0].Rows[1:]...)
	for i := range big.EventsOf[0].Rows[2:] {
		big.EventsOf[0].Rows[2+i].Instr = 5
	}
	carried := sound()
	carried.EventsOf[0].Rows[0] = event(Compute, 0, 0)
	carried.EventsOf[0].Rows[0].Work = 1 << 40
	wild := sound()
	wild.EventsOf[1].Rows[1].Peer, wild.EventsOf[1].Rows[1].Tag = None, None
	alone := sound()
	alone.RefsOf = nil
	needs := sound()
	needs.EventsOf[0].Rows[2].Needs = []int64{0, 4}
	needs.EventsOf[0].Rows[3].Needs = []int64{}
	for name, m := range map[string]*Memory{"sound": sound(), "nothing": {}, "no events": {Head: Header{Procs: 1}, RefsOf: []Refs{refsOf(0, 3)}},
		"full gap": big, "carried": carried, "wildcard": wild, "events alone": alone, "needs": needs} {
		t.Run(name, func(t *testing.T) {
			for _, batch := range []int{0, 1, 3, 10} {
				if err := Check(m.InBatches(batch)); err != nil {
					t.Errorf("%s in batches of %d: %v", name, batch, err)
				}
			}
		})
	}
}

func TestCheckOfUnsoundTraces(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(m *Memory)
		reason string
	}{
		"procs":                {func(m *Memory) { m.Head.Procs = -1 }, "-1 processors"},
		"bad reference":        {func(m *Memory) { m.RefsOf[1].Size[9] = 0 }, "0 bytes"},
		"bad reference later":  {func(m *Memory) { m.EventsOf = nil; m.RefsOf[0].Op[9] = 0 }, "unknown operation"},
		"bad event":            {func(m *Memory) { m.EventsOf[0].Rows[1].Kind = 0 }, "processor 0, event 1 (invalid): unknown kind"},
		"refs of another":      {func(m *Memory) { m.RefsOf[1].Proc = 0 }, "came among the references of processor 1"},
		"second batch":         {func(m *Memory) { m.RefsOf[1].Op[7] = 0 }, "processor 1, reference 7: unknown operation 0"},
		"wraps":                {func(m *Memory) { m.RefsOf[1].Addr[9] = math.MaxUint64 }, "processor 1, reference 9: access of 8 bytes"},
		"events of another":    {func(m *Memory) { m.EventsOf[1].Proc = 0 }, "came among the events of processor 1"},
		"refs back":            {func(m *Memory) { m.EventsOf[0].Rows[1].Refs = 9 }, "follows an event after 9"},
		"too many refs":        {func(m *Memory) { m.EventsOf[0].Rows[4].Refs = 11 }, "after 11 references, but the processor has 10"},
		"before its reference": {func(m *Memory) { m.EventsOf[0].Rows[1].Instr = 4 }, "processor 0, event 1 (lock): at instruction 4, before reference 4"},
		"after the next":       {func(m *Memory) { m.EventsOf[0].Rows[1].Instr = 7 }, "at instruction 7, after reference 5 at instruction 6"},
		"work and position":    {func(m *Memory) { m.EventsOf[0].Rows[0] = event(Compute, 2, 0); m.EventsOf[0].Rows[0].Work = 100 }, "at instruction 2, after reference 0"},
		"needs itself":         {func(m *Memory) { m.EventsOf[0].Rows[1].Needs = []int64{1} }, "needs event 1"},
		"needs less than none": {func(m *Memory) { m.EventsOf[0].Rows[1].Needs = []int64{-1} }, "needs event -1"},
		"needs too much":       {func(m *Memory) { m.EventsOf[0].Rows[1].Needs = []int64{5} }, "processor 0, event 1 (lock): needs event 5, but there are 5"},
		"needs a later one that needs it": {func(m *Memory) { m.EventsOf[0].Rows[2].Needs = []int64{0, 4} },
			"processor 0, event 2 (unlock): needs itself: 2 needs 4, 4 needs 3, 3 needs 2"},
		"two need each other": {func(m *Memory) {
			m.EventsOf[0].Rows[2].Needs = []int64{3}
			m.EventsOf[0].Rows[3].Needs = []int64{0, 1, 2}
		}, "event 2 (unlock): needs itself: 2 needs 3, 3 needs 2"},
		"too small": {func(m *Memory) {
			m.EventsOf[0].Rows[3].Bytes = 9
			m.EventsOf[1].Rows[1].Bytes = 5
		}, "processor 1, event 1 (recv): receive of 5 bytes is smaller than the matching send of 9 (truncation)"},
		"no request": {func(m *Memory) {
			m.EventsOf[0].Rows[4].Kind = Wait
			m.EventsOf[0].Rows[4].Request = 3
		}, "processor 0, event 4 (wait): wait for request 3, which is not open"},
		"collectives": {func(m *Memory) {
			m.EventsOf[0].Rows[0] = event(Bcast, 0, 0)
			m.EventsOf[1].Rows[0] = event(Scan, 0, 0)
		}, "processor 1, event 0 (scan): rank 0 collective #1 is bcast, rank 1 has scan"},
		"fewer collectives": {func(m *Memory) {
			m.EventsOf[0].Rows[0] = event(Bcast, 0, 0)
		}, "processor 1, event 1 (recv): rank 1 ends after 0 collectives, where rank 0 goes on with #1: bcast"},
		"send to nobody":      {func(m *Memory) { m.EventsOf[0].Rows[3].Peer = 2 }, "to processor 2: the trace has 2"},
		"send to anybody":     {func(m *Memory) { m.EventsOf[0].Rows[3].Peer = None }, "to processor -1"},
		"receive from nobody": {func(m *Memory) { m.EventsOf[1].Rows[1].Peer = 2 }, "from processor 2"},
		"never received":      {func(m *Memory) { m.EventsOf[1].Rows[1].Kind = Marker }, "processor 0, event 3 (send): send from rank 0 to rank 1 with tag 7 in group 0 (0 bytes) has no receive"},
		"never sent":          {func(m *Memory) { m.EventsOf[0].Rows[3].Kind = Marker }, "processor 1, event 1 (recv): receive on rank 1 from rank 0 with tag 7 in group 0 has no send"},
		"another tag":         {func(m *Memory) { m.EventsOf[1].Rows[1].Tag = 8 }, "with tag 7 in group 0 (0 bytes) has no receive (and 1 more)"},
		"another group":       {func(m *Memory) { m.EventsOf[1].Rows[1].Group = 1 }, "has no receive (and 1 more)"},
		"wildcard, never sent": {func(m *Memory) {
			m.EventsOf[0].Rows[3].Kind = Marker
			m.EventsOf[1].Rows[1].Peer = None
		}, "receives on rank 1 from any rank or with any tag in group 0: 1 more than are sent"},
		"unlock":        {func(m *Memory) { m.EventsOf[0].Rows[1].Kind = Marker }, "event 2 (unlock): of lock -1, which the processor does not hold"},
		"other lock":    {func(m *Memory) { m.EventsOf[0].Rows[1].Peer = 3 }, "of lock -1"},
		"unlocks twice": {func(m *Memory) { m.EventsOf[0].Rows[4].Kind = Unlock }, "event 4 (unlock)"},
	} {
		t.Run(name, func(t *testing.T) {
			m := sound()
			c.spoil(m)
			if err := Check(m.InBatches(3)); err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%v; want %q", err, c.reason)
			}
		})
	}
}

func TestCheckCounts(t *testing.T) {
	m := sound()
	more := func(p int, e Event) { m.EventsOf[p].Rows = append(m.EventsOf[p].Rows, e) }
	for p := range 2 {
		e := event(Irecv, 0, 10)
		e.Peer, e.Tag, e.Request = int32(1-p), 4, 2
		more(p, e)
		more(p, to(event(Send, 0, 10), int32(1-p), 4))
		m.EventsOf[p].Rows[len(m.EventsOf[p].Rows)-1].Group = None
		more(p, event(AllReduce, 0, 10))
	}
	e := event(Wait, 0, 10)
	e.Request, e.Needs = 2, []int64{5, 7}
	more(0, e)
	e = event(Bcast, 0, 10)
	e.Group, e.Peer = 6, 1
	more(1, e)
	got, err := Validate(m.InBatches(3))
	if err != nil {
		t.Fatal(err)
	}
	want := Report{Refs: 20, Events: 15, Joined: 15, Needs: 2, Locks: 1, Synchronized: 2,
		MatchCounts: MatchCounts{Sends: 3, Receives: 3, Messages: 3, Requests: 2, Open: 1, Collectives: 3, Groups: 2},
		Calls:       []GroupCalls{{Group: None, Members: 2, Calls: 1}, {Group: 6, Members: 1, Calls: 1}},
		Notes:       []RowError{{Proc: 1, Row: 2, Kind: Irecv, Msg: "rank 1 never waits for request 2 of this irecv"}}}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, want %+v", *got, want)
	}
}

// failing yields an error after some batches, and says what its totals are.
type failing struct {
	*Memory
	err    error
	events bool
	totals Totals
}

func (f *failing) Refs(procs ...Proc) iter.Seq2[*Refs, error] {
	return func(yield func(*Refs, error) bool) {
		for b, err := range f.Memory.Refs(procs...) {
			if !yield(b, err) {
				return
			}
		}
		if f.err != nil && !f.events {
			yield(nil, f.err)
		}
	}
}

func (f *failing) Events(procs ...Proc) iter.Seq2[*Events, error] {
	return func(yield func(*Events, error) bool) {
		for b, err := range f.Memory.Events(procs...) {
			if !yield(b, err) {
				return
			}
		}
		if f.err != nil && f.events {
			yield(nil, f.err)
		}
	}
}

func (f *failing) Totals(p Proc) Totals {
	if p == 0 {
		return f.totals
	}
	return Totals{Refs: 10, Events: 2}
}

func TestCheckOfSources(t *testing.T) {
	broken := errors.New("broken")
	right := Totals{Refs: 10, Events: 5}
	for _, c := range []struct {
		f      failing
		reason string
	}{
		{failing{totals: right}, ""},
		{failing{totals: right, err: broken}, "broken"},
		{failing{totals: right, err: broken, events: true}, "broken"},
		{failing{totals: Totals{Refs: 9, Events: 5}}, "the file counts 9 references and 5 events, its batches have 10 and 5"},
		{failing{totals: Totals{Refs: 10, Events: 6}}, "the file counts 10 references and 6 events"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			c.f.Memory = sound()
			err := Check(&c.f)
			if (err == nil) != (c.reason == "") || err != nil && !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%v; want %q", err, c.reason)
			}
			if c.f.err != nil && !errors.Is(err, broken) {
				t.Errorf("%v hides its cause", err)
			}
		})
	}
}

func FuzzCheckDoesNotPanic(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := sound()
		for i := 0; i+3 < len(b); i += 4 {
			rows := m.EventsOf[b[i]%2].Rows
			e := &rows[int(b[i+1])%len(rows)]
			v := int64(int8(b[i+3]))
			switch b[i+2] % 8 {
			case 0:
				e.Kind = Kind(v)
			case 1:
				e.Instr = uint32(v)
			case 2:
				e.Refs = uint64(v)
			case 3:
				e.Peer = int32(v)
			case 4:
				e.Work = v << 56
			case 5:
				e.Needs = append(e.Needs, v)
			case 6:
				m.RefsOf[b[i]%2].Instr[int(b[i+1])%10] = uint32(v)
			case 7:
				m.Head.Procs = int(v)
			}
		}
		_ = Check(m)
	})
}

// What is found by words is what single rows say, wherever the column begins.
func TestColumnsByWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		ops, sizes := make([]Op, n), make([]uint16, n)
		for range 50 {
			only, most := true, uint16(0)
			for i := range ops {
				if ops[i] = Op(1 + r.IntN(2)); r.IntN(60) == 0 {
					ops[i] = Ops[r.IntN(len(Ops))]
				}
				sizes[i] = uint16(1 + r.IntN(64+r.IntN(2)))
			}
			from := 0
			if n > 0 {
				from = r.IntN(n)
			}
			for i := from; i < n; i++ {
				only, most = only && ops[i].Data(), max(most, sizes[i])
			}
			if got := OnlyData(ops[from:]); got != only {
				t.Fatalf("%v: only data: %v", ops[from:], got)
			}
			if got := AnyMoves(ops[from:]); got != slices.ContainsFunc(ops[from:], Op.Moves) {
				t.Fatalf("%v: any prefetch or flush: %v", ops[from:], got)
			}
			if got := AnySize(sizes[from:], 64); got != (most >= 64) {
				t.Fatalf("%v: any of 64: %v", sizes[from:], got)
			}
		}
	}
}
