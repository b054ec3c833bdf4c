package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"

	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// looping is a trace of two processors that run loops, with ifetches and pcs.
func looping(refs int) *trace.Memory {
	h := header(2)
	h.HasPC = true
	m := &trace.Memory{Head: h}
	for p := range h.Procs {
		r := program(rand.New(rand.NewPCG(uint64(p), 3)), shape{fetches: true, pc: true, blocks: 3}, refs)
		r.Proc = trace.Proc(p)
		m.RefsOf = append(m.RefsOf, *r)
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p)})
	}
	return m
}

// shape says what a made-up program is like.
type shape struct {
	fetches, pc bool
	blocks      int     // pieces of code
	noise       float64 // share of references that are like no other
}

var dataOps = []trace.Op{trace.Load, trace.Store, trace.Prefetch, trace.Flush}

// program is refs references of a random program: pieces of code that follow each
// other mostly alike, whose data references stride, repeat or wander.
func program(rng *rand.Rand, s shape, refs int) *trace.Refs {
	r := new(trace.Refs)
	if s.pc {
		r.PC = []uint64{}
	}
	at := map[uint64]uint64{}
	for block := 0; r.Len() < refs; block = (block + 1 + rng.IntN(7)/6) % s.blocks {
		code := rand.New(rand.NewPCG(uint64(block), 5))
		pc := 0x400000 + uint64(block)*0x1000
		for range 1 + code.IntN(9) {
			size := 1 + code.Uint64N(7)
			if s.fetches {
				appendRef(r, pc, 1, pc, uint16(size), trace.Ifetch)
			}
			for range code.IntN(3) {
				addr := at[pc]
				switch code.IntN(3) {
				case 0:
					addr += 8
				case 1:
					addr = rng.Uint64N(1 << 40)
				}
				at[pc] = addr
				appendRef(r, pc, uint32(code.IntN(4)), addr, uint16(1+code.IntN(64)), dataOps[code.IntN(len(dataOps))])
			}
			pc += size
		}
		if rng.Float64() < s.noise {
			size := uint16(1 + rng.UintN(math.MaxUint16))
			appendRef(r, rng.Uint64(), rng.Uint32(), rng.Uint64N(math.MaxUint64-uint64(size)), size, trace.Ops[rng.IntN(len(trace.Ops))])
		}
	}
	cut := r.Slice(0, refs)
	return &cut
}

func appendRef(r *trace.Refs, pc uint64, instr uint32, addr uint64, size uint16, op trace.Op) {
	r.Append(instr, addr, size, op)
	if r.PC != nil {
		r.PC = append(r.PC, pc)
	}
}

// archived is r after one batch of the archive profile.
func archived(t testing.TB, r *trace.Refs) (back *trace.Refs, size int) {
	t.Helper()
	return archivedBy(t, newArchiveEncoder(), newDecoder(), r)
}

func archivedBy(t testing.TB, e *encoder, d *decoder, r *trace.Refs) (back *trace.Refs, size int) {
	t.Helper()
	hasPC := r.PC != nil
	e.begin()
	in, out := refsBatch{Refs: *r}, refsSlot{}
	msg, meta := e.finish(in.encodeArchive(e, hasPC))
	if err := d.open(msg, meta); err != nil {
		t.Fatal(err)
	}
	out.decode(d, true, hasPC)
	if err := d.done(); err != nil {
		t.Fatal(err)
	}
	return &out.Refs, len(msg)
}

func TestArchiveKeepsEveryReference(t *testing.T) {
	most := testsize.Cases(3000, 300)
	for seed := range testsize.Cases[uint64](40, 12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := shape{fetches: seed&1 == 0, pc: seed&2 == 0, blocks: 1 + rng.IntN(50), noise: float64(seed%3) / 4}
		e, d := newArchiveEncoder(), newDecoder()
		for _, n := range []int{1, 2, 63, 64, 65, 255, 256, 257, most} {
			r := program(rng, s, n)
			if back, _ := archivedBy(t, e, d, r); !sameRefs(back, r) {
				t.Fatalf("%+v: %d references come back otherwise", s, n)
			}
		}
	}
}

func TestArchiveKeepsExtremes(t *testing.T) {
	r := new(trace.Refs)
	for _, op := range trace.Ops {
		for _, addr := range []uint64{0, 1, 1<<63 - 1, 1 << 63, math.MaxUint64} {
			r.Append(math.MaxUint32, addr, 1, op)
			r.Append(0, min(addr, math.MaxUint64-math.MaxUint16), math.MaxUint16, op)
		}
	}
	for _, pc := range []bool{false, true} {
		if pc {
			for i := range r.Len() {
				r.PC = append(r.PC, []uint64{0, math.MaxUint64, 1 << 63}[i%3])
			}
		}
		if back, _ := archived(t, r); !sameRefs(back, r) {
			t.Fatalf("pc %t: extremes come back otherwise", pc)
		}
	}
}

// TestArchiveIsTheSameTrace holds both profiles to each other, and batches to
// their order.
func TestArchiveIsTheSameTrace(t *testing.T) {
	dir := t.TempDir()
	for i, h := range []trace.Header{header(1), header(3)} {
		h.HasPC = i == 1
		m := memory(rand.New(rand.NewPCG(17, 18)), h, 1000, 20)
		prefix := filepath.Join(dir, fmt.Sprint(i))
		saveAs(t, CreateArchive, prefix, m, 70, 300)
		tr, err := Open(prefix)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		got, err := load(tr)
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.RefsOf {
			if !sameRefs(&got.RefsOf[p], &m.RefsOf[p]) || !reflect.DeepEqual(got.EventsOf[p], m.EventsOf[p]) {
				t.Errorf("processor %d of %d: other rows in the archive", p, h.Procs)
			}
		}
		if !reflect.DeepEqual(tr.Header(), m.Head) {
			t.Errorf("header %+v, want %+v", tr.Header(), m.Head)
		}
	}
}

func TestArchiveFullBatches(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "x")
	m := &trace.Memory{Head: header(1)}
	r := program(rand.New(rand.NewPCG(21, 22)), shape{fetches: true, blocks: 500, noise: 0.01}, archiveRows+5)
	m.RefsOf, m.EventsOf = []trace.Refs{*r}, []trace.Events{{}}
	saveAs(t, CreateArchive, prefix, m, batchRows+1, archiveRows)
	tr, err := Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if got, err := load(tr); err != nil || !sameRefs(&got.RefsOf[0], r) {
		t.Fatalf("%d references come back otherwise: %v", r.Len(), err)
	}
	if len(tr.refs.blocks) != 2 || tr.refs.blocks[0].rows != archiveRows {
		t.Errorf("batches %+v, want one full and one of 5", tr.refs.blocks)
	}
}

func TestArchiveIsSmall(t *testing.T) {
	for _, s := range []shape{{fetches: true, blocks: 20}, {fetches: true, pc: true, blocks: 20}, {pc: true, blocks: 20}, {blocks: 20}} {
		t.Run(fmt.Sprintf("%v %v", s.fetches, s.pc), func(t *testing.T) {
			r := program(rand.New(rand.NewPCG(23, 24)), s, 1<<16)
			_, size := archived(t, r)
			e := newEncoder()
			e.begin()
			b := refsBatch{Refs: *r}
			msg, _ := e.finish(b.encode(e, s.pc))
			if size*10 > len(msg)*9 {
				t.Errorf("%+v: %d bytes in the archive profile, %d in plain columns", s, size, len(msg))
			}
		})
	}
}

func TestArrowReadsArchives(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "x")
	m := looping(500)
	saveAs(t, CreateArchive, prefix, m, 100, 200)
	file, stream, final, _ := records(t, read(t, prefix+RefsSuffix))
	if i := final.Metadata().FindKey(profileKey); i < 0 || final.Metadata().Values()[i] != archiveProfile {
		t.Errorf("metadata %v says nothing of the profile", final.Metadata())
	}
	refs := 0
	for i, rec := range file {
		n := int(rec.Column(1).(*array.Uint32).Value(0))
		list := func(name string) int {
			at := final.FieldIndices(name)
			from, to := rec.Column(at[0]).(*array.List).ValueOffsets(0)
			return int(to - from)
		}
		if refs += n; list("next") > n || list("guess") > n || list("op") != list("instr") || list("block_refs") != list("block_runs") {
			t.Errorf("batch %d of %d references: columns do not fit: %v", i, n, rec)
		}
		if !array.RecordEqual(rec, stream[i]) {
			t.Errorf("batch %d of the stream differs", i)
		}
	}
	if refs != 1000 {
		t.Errorf("the arrow library sees %d references, want 1000", refs)
	}
}

func TestUnknownProfileIsTold(t *testing.T) {
	s := traceSchema(kindRefs, true, header(1))
	s.Meta[len(s.Meta)-1].Value = "hologram"
	if _, _, err := parseTraceSchema(s); err == nil || !strings.Contains(err.Error(), `"hologram"`) {
		t.Errorf("an unknown profile: %v", err)
	}
}

// FuzzArchiveKeepsEveryReference makes references of bytes.
func FuzzArchiveKeepsEveryReference(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, true)
	f.Add([]byte(strings.Repeat("abcabd", 40)), false)
	e, d := newArchiveEncoder(), newDecoder()
	f.Fuzz(func(t *testing.T, b []byte, pc bool) {
		r := new(trace.Refs)
		if pc {
			r.PC = []uint64{}
		}
		var addr uint64
		for ; len(b) >= 2; b = b[2:] {
			addr = (addr + uint64(int8(b[0]))<<(b[1]>>4*4)) &^ (1 << 63)
			appendRef(r, uint64(b[0]), uint32(b[1]>>6), addr, uint16(1+b[1]>>7), trace.Ops[int(b[1])%len(trace.Ops)])
		}
		if r.Len() == 0 {
			return
		}
		if back, _ := archivedBy(t, e, d, r); !sameRefs(back, r) {
			t.Fatal("references come back otherwise")
		}
	})
}

// BenchmarkArchiveSmallBatch is what a batch costs that holds next to nothing, as
// those of thousands of processors may.
func BenchmarkArchiveSmallBatch(b *testing.B) {
	e, d := newArchiveEncoder(), newDecoder()
	r := program(rand.New(rand.NewPCG(1, 2)), shape{fetches: true, blocks: 5}, 100)
	for b.Loop() {
		archivedBy(b, e, d, r)
	}
}
