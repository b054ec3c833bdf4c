package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// instruction is one record of ChampSim's, written by hand.
type instruction struct {
	ip            uint64
	branch, taken byte
	loads, stores []uint64
}

// champsimOf writes records of 64 or 96 bytes, apart from the exporter.
func champsimOf(size int, all ...instruction) string {
	var out []byte
	for _, in := range all {
		b := make([]byte, size)
		binary.LittleEndian.PutUint64(b, in.ip)
		b[8], b[9] = in.branch, in.taken
		at := map[int][2]int{64: {16, 32}, 96: {24, 56}}[size]
		for i, a := range in.stores {
			binary.LittleEndian.PutUint64(b[at[0]+8*i:], a)
		}
		for i, a := range in.loads {
			binary.LittleEndian.PutUint64(b[at[1]+8*i:], a)
		}
		out = append(out, b...)
	}
	return string(out)
}

var fewInstructions = []instruction{
	{ip: 0x401000, loads: []uint64{0x7000, 0, 0x7008}, stores: []uint64{0, 0x8000}},
	{ip: 0x401003, branch: 1, taken: 1, stores: []uint64{0x8008}},
	{ip: 0x401000, loads: []uint64{0x7010}, stores: []uint64{0x7010, 0x7018}}, // modifies 0x7010
	{ip: 0x401005, taken: 1}, // as cvp2champsim writes
	{ip: 0x401100},
}

func TestChampSimRecords(t *testing.T) {
	want := []row{{1, 0x401000, 3, trace.Ifetch}, {0, 0x7000, 1, trace.Load}, {0, 0x7008, 1, trace.Load}, {0, 0x8000, 1, trace.Store},
		{1, 0x401003, 1, trace.Ifetch}, {0, 0x8008, 1, trace.Store},
		{1, 0x401000, 5, trace.Ifetch}, {0, 0x7010, 1, trace.Load}, {0, 0x7010, 1, trace.Store}, {0, 0x7018, 1, trace.Store},
		{1, 0x401005, 1, trace.Ifetch}, {1, 0x401100, 1, trace.Ifetch}}
	without := func(drop ...int) (rest []row) {
		for i, r := range want {
			if !slices.Contains(drop, i) {
				rest = append(rest, r)
			}
		}
		return rest
	}
	unfetched := []row{{1, 0x7000, 1, trace.Load}, {0, 0x7008, 1, trace.Load}, {0, 0x8000, 1, trace.Store}, {1, 0x8008, 1, trace.Store},
		{1, 0x7010, 1, trace.Load}, {0, 0x7010, 1, trace.Store}, {0, 0x7018, 1, trace.Store}}
	large := slices.Clone(want)
	for i := range large {
		if large[i].size == 1 {
			large[i].size = 8
		}
	}
	for _, c := range []struct {
		name string
		size int
		o    Options
		want []row
	}{
		{"64", 64, Options{}, want},
		{"96 guessed", 96, Options{}, want},
		{"96", 96, Options{Set: map[string]string{"record": "96"}}, want},
		{"loads", 64, Options{Modify: ModifyLoad}, without(8)},
		{"stores", 64, Options{Modify: ModifyStore}, without(7)},
		{"no fetches", 64, Options{DropIfetch: true}, unfetched},
		{"8 bytes", 64, Options{DefaultSize: 8}, large},
	} {
		m, r := mustImport(t, ChampSim{}, champsimOf(c.size, fewInstructions...), c.o)
		if got := rows(m, 0); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		wantCounts := "[{records 5} {is_branch 1} {branch_taken 1} {source_memory 3} {destination_memory 4} {modify 1}]"
		if got := fmt.Sprint(r.Counts); got != wantCounts || r.Lines != 5 || r.Procs != 1 {
			t.Errorf("%s: counts %s, want %s; %+v", c.name, got, wantCounts, r)
		}
		notes := strings.Join(r.Notes, "\n")
		for _, note := range []string{"1 instruction with branch_taken but not is_branch", "champsim has no sizes: every load and store counts as"} {
			if !strings.Contains(notes, note) {
				t.Errorf("%s: notes %q, want %q", c.name, r.Notes, note)
			}
		}
		if strings.Contains(notes, "guessed 96-byte records") != strings.Contains(c.name, "guessed") || strings.Contains(notes, "the length of 3 of 5 instructions is unknown") == c.o.DropIfetch {
			t.Errorf("%s: notes %q", c.name, r.Notes)
		}
	}
}

// Every record makes its instruction however blocks are cut.
func TestChampSimBlocks(t *testing.T) {
	for _, size := range []int{64, 96} {
		for _, n := range []int{1, 2, blockBytes/size - 1, blockBytes / size, blockBytes/size + 1, 3*blockBytes/size + 5} {
			var all []instruction
			for i := range uint64(n) {
				all = append(all, instruction{ip: 0x401000 + i*4, loads: []uint64{0x7000 + i}})
			}
			m, r := mustImport(t, ChampSim{}, champsimOf(size, all...), Options{Set: map[string]string{"record": fmt.Sprint(size)}})
			got := rows(m, 0)
			if len(got) != 2*n || r.Lines != uint64(n) {
				t.Fatalf("%d records of %d: %d references, %d lines", n, size, len(got), r.Lines)
			}
			for i := range n {
				length := uint16(4)
				if i == n-1 {
					length = 1
				}
				if got[2*i] != (row{1, 0x401000 + uint64(i)*4, length, trace.Ifetch}) || got[2*i+1] != (row{0, 0x7000 + uint64(i), 1, trace.Load}) {
					t.Fatalf("%d records of %d: %v at %d", n, size, got[2*i:2*i+2], i)
				}
			}
		}
	}
}

func TestChampSimPC(t *testing.T) {
	m, _ := mustImport(t, ChampSim{}, champsimOf(64, fewInstructions...), Options{PC: true})
	want := []uint64{0x401000, 0x401000, 0x401000, 0x401000, 0x401003, 0x401003, 0x401000, 0x401000, 0x401000, 0x401000, 0x401005, 0x401100}
	if !slices.Equal(m.RefsOf[0].PC, want) {
		t.Errorf("%x, want %x", m.RefsOf[0].PC, want)
	}
	if (ChampSim{}).Layout(Options{}).PC || !(ChampSim{}).Layout(Options{PC: true}).PC {
		t.Error("the layout does not follow --pc")
	}
}

func TestBadChampSim(t *testing.T) {
	good := champsimOf(64, fewInstructions...)
	for _, c := range []struct {
		name, text    string
		o             Options
		place, reason string
	}{
		{"empty", "", Options{}, "record 0, offset 0: ", "the file is empty"},
		{"cut", good + "x", Options{}, "record 5, offset 320: ", "1 trailing byte: not a multiple of 64"},
		{"only cut", "xyz", Options{}, "record 0, offset 0: ", "3 trailing bytes"},
		{"is_branch", good + champsimOf(64, instruction{ip: 1, branch: 2}), Options{}, "record 5, offset 328: ", "is_branch is 2, not 0 or 1; this is probably not a ChampSim trace"},
		{"branch_taken", champsimOf(64, instruction{ip: 1, taken: 3}) + good, Options{}, "record 0, offset 9: ", "branch_taken is 3"},
		{"96 as 64", champsimOf(96, fewInstructions...), Options{Set: map[string]string{"record": "64"}}, "record 1, offset 72: ", "is_branch is 8, not 0 or 1; this is probably not a ChampSim trace of 64-byte records (--set record=96 reads cloudsuite's)"},
		{"64 as 96", champsimOf(64, instruction{ip: 1}, instruction{ip: 2, loads: []uint64{0, 0x7f}}, instruction{ip: 3}), Options{Set: map[string]string{"record": "96"}}, "record 1, offset 104: ", "of 96-byte records (--set record=64 reads ChampSim's own)"},
		{"load", champsimOf(64, instruction{ip: 1, loads: []uint64{0, 1<<64 - 2}}), Options{DefaultSize: 4}, "record 0, offset 40: ", "wraps around"},
		{"store", good + champsimOf(64, instruction{ip: 1, stores: []uint64{1<<64 - 2}}), Options{DefaultSize: 4}, "record 5, offset 336: ", "wraps around"},
		{"fetch", good + champsimOf(64, instruction{ip: 1<<64 - 1}), Options{DefaultSize: 4}, "record 5, offset 320: ", "wraps around"},
	} {
		_, _, err := importText(ChampSim{}, c.text, c.o)
		wantError(t, c.name, err, "standard input: "+c.place, c.reason)
	}
	_, _, err := importText(ChampSim{}, good, Options{Set: map[string]string{"record": "65"}})
	wantError(t, "record=65", err, "", "--set record=65: choose 64, 96 or auto")
	_, r := mustImport(t, ChampSim{}, champsimOf(64, instruction{}), Options{})
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "1 instruction at address 0") }) {
		t.Errorf("a record of zeros: notes %q", r.Notes)
	}
}

func TestChampSimSniff(t *testing.T) {
	good := champsimOf(64, fewInstructions...)
	for name, c := range map[string]struct {
		head string
		want Confidence
	}{
		"64":           {good, Likely},
		"96":           {champsimOf(96, fewInstructions...), Likely},
		"cut":          {good + "xyz", Likely},
		"kernel":       {champsimOf(64, instruction{ip: 0xffffffff81000000}, instruction{ip: 0xffffffff81000004}), Likely},
		"one record":   {good[:64], Foreign},
		"zeros":        {strings.Repeat("\x00", 256), Foreign},
		"flags":        {good + champsimOf(64, instruction{ip: 1, branch: 2}), Foreign},
		"not an ip":    {good + champsimOf(64, instruction{ip: 1 << 50}), Foreign},
		"not a load":   {good + champsimOf(64, instruction{ip: 1, loads: []uint64{1 << 50}}), Foreign},
		"text":         {strings.Repeat("0 1000\n", 1000), Foreign},
		"all distant":  {champsimOf(64, instruction{ip: 1 << 20}, instruction{ip: 2 << 20}, instruction{ip: 3 << 20}), Foreign},
		"random bytes": {randomBytes(1 << 12), Foreign},
	} {
		if got := (ChampSim{}).Sniff([]byte(c.head)); got.Confidence != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func randomBytes(n int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return string(b)
}

// The numbers of the samples' README, which python counted.
func TestChampSimSamples(t *testing.T) {
	dir := shared(t, "champsim")
	matmul := champsimFacts{147678, 14474, 33779, 13044, 13930, 1427, 0x401ab70, 0x491c407}
	first := champsimFacts{1000, 160, 204, 164, 377, 57, 0x401ab70, 0x4019800}
	for name, want := range map[string]champsimFacts{"matmul.champsim.gz": matmul, "matmul.champsim.xz": matmul,
		"matmul_first1000.champsim": first, "matmul_first1000.champsim.bz2": first} {
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		m, r, err := importBytes(ChampSim{}, file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := champsimFacts{records: r.Lines, branches: r.Counts[1].N, loads: r.Counts[3].N, stores: r.Counts[4].N}
		if r.Counts[2].N != got.branches {
			t.Errorf("%s: %d branches, but %d taken", name, got.branches, r.Counts[2].N)
		}
		ips, lines, n := map[uint64]bool{}, map[uint64]bool{}, map[trace.Op]uint64{}
		for _, r := range rows(m, 0) {
			n[r.op]++
			if r.op != trace.Ifetch {
				lines[r.addr>>6] = true
				continue
			}
			if len(ips) == 0 {
				got.first = r.addr
			}
			ips[r.addr], got.last = true, r.addr
		}
		got.ips, got.lines = len(ips), len(lines)
		if got != want || n[trace.Ifetch] != want.records || n[trace.Load] != want.loads || n[trace.Store] != want.stores {
			t.Errorf("%s: %+v, %v, want %+v", name, got, n, want)
		}
		checkRoundTrip(t, ChampSim{}, m)
	}
}

type champsimFacts struct {
	records, branches, loads, stores uint64
	ips, lines                       int
	first, last                      uint64
}

func TestMalformedChampSim(t *testing.T) {
	dir := filepath.Join(shared(t, "malformed"), "address")
	for name, want := range map[string]string{
		"a25_champsim_partial.champsim":     "record 10, offset 640: 17 trailing bytes: not a multiple of 64",
		"a26_champsim_empty.champsim":       "record 0, offset 0: the file is empty",
		"a27_champsim_truncated.xz":         "compressed offset 300: ",
		"a29_badcrc.champsim.gz":            "compressed offset 379: ",
		"a30_trailing_garbage.champsim.gz":  "compressed offset ",
		"a32_champsim_is_branch_2.champsim": "record 0, offset 8: is_branch is 2, not 0 or 1",
	} {
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = importBytes(ChampSim{}, file, Options{})
		wantError(t, name, err, "standard input: ", want)
	}
}

// randomChampSim has what the format can express: fetches whose length the next
// one tells, or of 1 byte, then loads, then stores.
func randomChampSim(rng *rand.Rand, loads, stores int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, 1)}
	r := &m.RefsOf[0]
	ip := uint64(0x401000)
	for n := 1 + rng.IntN(200); n > 0; n-- {
		size, next := uint16(1), ip
		switch rng.IntN(4) {
		case 0: // a jump, or no length, or a repetition
			next = ip + uint64(rng.IntN(64)) - 32
		case 1:
			next = rng.Uint64()
		default:
			size = uint16(1 + rng.IntN(champsimMaxLen))
			next = ip + uint64(size)
		}
		if n == 1 {
			size = 1
		}
		r.Append(1, ip, size, trace.Ifetch)
		for range rng.IntN(loads + 1) {
			r.Append(0, 1+rng.Uint64()>>rng.IntN(63)>>1, 1, trace.Load)
		}
		for range rng.IntN(stores + 1) {
			r.Append(0, 1+rng.Uint64()>>rng.IntN(63)>>1, 1, trace.Store)
		}
		ip = next
	}
	return m
}

func TestChampSimRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		checkRoundTrip(t, ChampSim{}, randomChampSim(rng, 4, 2))
	}
	for range 50 {
		m := randomChampSim(rng, 4, 4)
		set := map[string]string{"record": "96"}
		var b bytes.Buffer
		if _, err := (ChampSim{}).Export(m, ExportOptions{Set: set}, &b); err != nil {
			t.Fatal(err)
		}
		got, _ := mustImport(t, ChampSim{}, b.String(), Options{Set: set})
		sameTrace(t, "96", got, m)
	}
}

// What the format cannot express is written so that references stay, and noted.
func TestChampSimExport(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 1, WorkUnit: trace.WorkInstr, HasPC: true}, RefsOf: make([]trace.Refs, 1), EventsOf: make([]trace.Events, 1)}
	r := &m.RefsOf[0]
	add := func(instr uint32, addr uint64, op trace.Op, pc uint64) {
		r.Append(instr, addr, 4, op)
		r.PC = append(r.PC, pc)
	}
	add(0, 0x7000, trace.Load, 0)            // of no known instruction
	add(1, 0x401000, trace.Ifetch, 0x401000) // followed by the next
	add(0, 0x8000, trace.Store, 0x401000)
	add(0, 0x7008, trace.Load, 0x401000) // after a store
	add(0, 0x8008, trace.Store, 0x401000)
	add(0, 0x8010, trace.Store, 0x401000)    // does not fit
	add(1, 0x401004, trace.Ifetch, 0x401004) // jumps
	add(0, 0, trace.Load, 0x401004)
	add(0, 0x40, trace.Flush, 0x401004)
	add(3, 0x7010, trace.Load, 0x402000) // not fetched
	add(0, 0x402010, trace.Ifetch, 0)    // of the same instruction
	m.EventsOf[0].Rows = []trace.Event{trace.NewEvent(trace.Barrier)}
	want := []instruction{
		{ip: champsimUnknown, loads: []uint64{0x7000}},
		{ip: 0x401000, loads: []uint64{0x7008}, stores: []uint64{0x8000, 0x8008}},
		{ip: 0x401000, stores: []uint64{0x8010}},
		{ip: 0x401004, branch: 1, taken: 1},
		{ip: 0x402000, branch: 1, taken: 1, loads: []uint64{0x7010}},
		{ip: 0x402010},
	}
	var b bytes.Buffer
	notes, err := ChampSim{}.Export(m, ExportOptions{}, &b)
	if err != nil {
		t.Fatal(err)
	}
	got := b.Bytes()
	for i := 0; i < len(got); i += 64 {
		if got[i+8] == 1 && (got[i+10] != champsimIP || got[i+12] != champsimIP) {
			t.Errorf("record %d: ChampSim takes a branch for one by its registers", i/64)
		}
		clear(got[i+10 : i+16])
	}
	if string(got) != champsimOf(64, want...) {
		t.Errorf("got  %x\nwant %x", got, champsimOf(64, want...))
	}
	for _, note := range []string{"champsim has no flush: 1 omitted", "champsim has no events: 1 omitted", "champsim has no instruction counts", "champsim has no sizes",
		"2 instructions without a fetch in the trace", "1 of them have no known address and get 0x400000", "champsim has no address 0: 1 references",
		"1 record added", "1 load moved before a store", "1 instruction fetches that belong to the previous instruction"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, note) }) {
			t.Errorf("notes %q, want %q", notes, note)
		}
	}
	if len(notes) != 10 {
		t.Errorf("%d notes: %q", len(notes), notes)
	}
}

func FuzzChampSim(f *testing.F) {
	f.Add([]byte(champsimOf(64, fewInstructions...)), uint8(0))
	f.Add([]byte(champsimOf(96, fewInstructions...)), uint8(1))
	f.Fuzz(func(t *testing.T, file []byte, how uint8) {
		o := Options{Modify: Modify(how >> 1 & 3), DropIfetch: how&8 != 0, DefaultSize: uint16(how >> 4)}
		if how&1 != 0 {
			o.Set = map[string]string{"record": "96"}
		}
		m, _, err := importBytes(ChampSim{}, file, o)
		checkImported(t, m, err)
		if how != 0 {
			return
		}
		// What is written may look like records of 96 bytes, which hold more.
		o.Set = map[string]string{"record": "64"}
		if m, _, err = importBytes(ChampSim{}, file, o); err == nil {
			var b bytes.Buffer
			if _, err := (ChampSim{}).Export(m, ExportOptions{}, &b); err != nil {
				t.Fatal(err)
			}
			again, _ := mustImport(t, ChampSim{}, b.String(), o)
			sameTrace(t, "champsim exported and imported", again, m)
		}
	})
}

// BenchmarkImportChampSim reads a loop over arrays: of ten instructions three load
// and one stores, as in real programs.
func BenchmarkImportChampSim(b *testing.B) {
	const n = 2_000_000
	all := make([]instruction, 0, n)
	for i := range uint64(n) {
		in := instruction{ip: 0x401000 + i%10*4}
		switch i % 10 {
		case 1, 4:
			in.loads = []uint64{0x7f0000000000 + i/10*8}
		case 6:
			in.loads = []uint64{0x7f0010000000 + i*i%(1<<20)*8}
		case 7:
			in.stores = []uint64{0x7f0020000000 + i/10*8}
		case 9:
			in.branch, in.taken = 1, 1
		}
		all = append(all, in)
	}
	benchmarkRecords(b, ChampSim{}, []byte(champsimOf(64, all...)), n, Options{})
}
