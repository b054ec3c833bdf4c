package champsim

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

func TestChampSimRecords(t *testing.T) {
	want := []formattest.Row{{Instr: 1, Addr: 0x401000, Size: 3, Op: trace.Ifetch}, {Instr: 0, Addr: 0x7000, Size: 1, Op: trace.Load}, {Instr: 0, Addr: 0x7008, Size: 1, Op: trace.Load}, {Instr: 0, Addr: 0x8000, Size: 1, Op: trace.Store},
		{Instr: 1, Addr: 0x401003, Size: 1, Op: trace.Ifetch}, {Instr: 0, Addr: 0x8008, Size: 1, Op: trace.Store},
		{Instr: 1, Addr: 0x401000, Size: 5, Op: trace.Ifetch}, {Instr: 0, Addr: 0x7010, Size: 1, Op: trace.Load}, {Instr: 0, Addr: 0x7010, Size: 1, Op: trace.Store}, {Instr: 0, Addr: 0x7018, Size: 1, Op: trace.Store},
		{Instr: 1, Addr: 0x401005, Size: 1, Op: trace.Ifetch}, {Instr: 1, Addr: 0x401100, Size: 1, Op: trace.Ifetch}}
	without := func(drop ...int) (rest []formattest.Row) {
		for i, r := range want {
			if !slices.Contains(drop, i) {
				rest = append(rest, r)
			}
		}
		return rest
	}
	unfetched := []formattest.Row{{Instr: 1, Addr: 0x7000, Size: 1, Op: trace.Load}, {Instr: 0, Addr: 0x7008, Size: 1, Op: trace.Load}, {Instr: 0, Addr: 0x8000, Size: 1, Op: trace.Store}, {Instr: 1, Addr: 0x8008, Size: 1, Op: trace.Store},
		{Instr: 1, Addr: 0x7010, Size: 1, Op: trace.Load}, {Instr: 0, Addr: 0x7010, Size: 1, Op: trace.Store}, {Instr: 0, Addr: 0x7018, Size: 1, Op: trace.Store}}
	large := slices.Clone(want)
	for i := range large {
		if large[i].Size == 1 {
			large[i].Size = 8
		}
	}
	for _, c := range []struct {
		name string
		size int
		o    format.Options
		want []formattest.Row
	}{
		{"64", 64, format.Options{}, want},
		{"96 guessed", 96, format.Options{}, want},
		{"96", 96, format.Options{Set: map[string]string{"record": "96"}}, want},
		{"loads", 64, format.Options{Modify: format.ModifyLoad}, without(8)},
		{"stores", 64, format.Options{Modify: format.ModifyStore}, without(7)},
		{"no fetches", 64, format.Options{DropIfetch: true}, unfetched},
		{"8 bytes", 64, format.Options{DefaultSize: 8}, large},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, r := formattest.MustImport(t, ChampSim{}, formattest.ChampsimOf(c.size, formattest.FewInstructions...), c.o)
			if got := formattest.Rows(m, 0); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
			wantCounts := "[{records 5} {is_branch 1} {branch_taken 1} {source_memory 3} {destination_memory 4} {modify 1}]"
			if got := fmt.Sprint(r.Counts); got != wantCounts || r.Lines != 5 || r.Procs != 1 {
				t.Errorf("counts %s, want %s; %+v", got, wantCounts, r)
			}
			notes := strings.Join(r.Notes, "\n")
			for _, note := range []string{"1 instruction with branch_taken but not is_branch", "champsim has no sizes: every load and store counts as"} {
				if !strings.Contains(notes, note) {
					t.Errorf("notes %q, want %q", r.Notes, note)
				}
			}
			if strings.Contains(notes, "guessed 96-byte records") != strings.Contains(c.name, "guessed") || strings.Contains(notes, "the length of 3 of 5 instructions is unknown") == c.o.DropIfetch {
				t.Errorf("notes %q", r.Notes)
			}
		})
	}
}

// Every record makes its instruction however blocks are cut.
func TestChampSimBlocks(t *testing.T) {
	for _, size := range []int{64, 96} {
		for _, n := range []int{1, 2, input.BlockBytes/size - 1, input.BlockBytes / size, input.BlockBytes/size + 1, 3*input.BlockBytes/size + 5} {
			var all []formattest.Instruction
			for i := range uint64(n) {
				all = append(all, formattest.Instruction{IP: 0x401000 + i*4, Loads: []uint64{0x7000 + i}})
			}
			m, r := formattest.MustImport(t, ChampSim{}, formattest.ChampsimOf(size, all...), format.Options{Set: map[string]string{"record": fmt.Sprint(size)}})
			got := formattest.Rows(m, 0)
			if len(got) != 2*n || r.Lines != uint64(n) {
				t.Fatalf("%d records of %d: %d references, %d lines", n, size, len(got), r.Lines)
			}
			for i := range n {
				length := uint16(4)
				if i == n-1 {
					length = 1
				}
				if got[2*i] != (formattest.Row{Instr: 1, Addr: 0x401000 + uint64(i)*4, Size: length, Op: trace.Ifetch}) || got[2*i+1] != (formattest.Row{Instr: 0, Addr: 0x7000 + uint64(i), Size: 1, Op: trace.Load}) {
					t.Fatalf("%d records of %d: %v at %d", n, size, got[2*i:2*i+2], i)
				}
			}
		}
	}
}

func TestChampSimPC(t *testing.T) {
	m, _ := formattest.MustImport(t, ChampSim{}, formattest.ChampsimOf(64, formattest.FewInstructions...), format.Options{PC: true})
	want := []uint64{0x401000, 0x401000, 0x401000, 0x401000, 0x401003, 0x401003, 0x401000, 0x401000, 0x401000, 0x401000, 0x401005, 0x401100}
	if !slices.Equal(m.RefsOf[0].PC, want) {
		t.Errorf("%x, want %x", m.RefsOf[0].PC, want)
	}
	if format.LayoutOf(ChampSim{}, format.Options{}).PC || !format.LayoutOf(ChampSim{}, format.Options{PC: true}).PC {
		t.Error("the layout does not follow --pc")
	}
}

func TestBadChampSim(t *testing.T) {
	good := formattest.ChampsimOf(64, formattest.FewInstructions...)
	for _, c := range []struct {
		name, text    string
		o             format.Options
		place, reason string
	}{
		{"empty", "", format.Options{}, "record 0, offset 0: ", "the file is empty"},
		{"cut", good + "x", format.Options{}, "record 5, offset 320: ", "1 trailing byte: not a multiple of 64"},
		{"only cut", "xyz", format.Options{}, "record 0, offset 0: ", "3 trailing bytes"},
		{"is_branch", good + formattest.ChampsimOf(64, formattest.Instruction{IP: 1, Branch: 2}), format.Options{}, "record 5, offset 328: ", "is_branch is 2, not 0 or 1; this is probably not a ChampSim trace"},
		{"branch_taken", formattest.ChampsimOf(64, formattest.Instruction{IP: 1, Taken: 3}) + good, format.Options{}, "record 0, offset 9: ", "branch_taken is 3"},
		{"96 as 64", formattest.ChampsimOf(96, formattest.FewInstructions...), format.Options{Set: map[string]string{"record": "64"}}, "record 1, offset 72: ", "is_branch is 8, not 0 or 1; this is probably not a ChampSim trace of 64-byte records (--set record=96 reads cloudsuite's)"},
		{"64 as 96", formattest.ChampsimOf(64, formattest.Instruction{IP: 1}, formattest.Instruction{IP: 2, Loads: []uint64{0, 0x7f}}, formattest.Instruction{IP: 3}), format.Options{Set: map[string]string{"record": "96"}}, "record 1, offset 104: ", "of 96-byte records (--set record=64 reads ChampSim's own)"},
		{"load", formattest.ChampsimOf(64, formattest.Instruction{IP: 1, Loads: []uint64{0, 1<<64 - 2}}), format.Options{DefaultSize: 4}, "record 0, offset 40: ", "wraps around"},
		{"store", good + formattest.ChampsimOf(64, formattest.Instruction{IP: 1, Stores: []uint64{1<<64 - 2}}), format.Options{DefaultSize: 4}, "record 5, offset 336: ", "wraps around"},
		{"fetch", good + formattest.ChampsimOf(64, formattest.Instruction{IP: 1<<64 - 1}), format.Options{DefaultSize: 4}, "record 5, offset 320: ", "wraps around"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := formattest.ImportText(ChampSim{}, c.text, c.o)
			formattest.WantError(t, c.name, err, "standard input: "+c.place, c.reason)
		})
	}
	_, _, err := formattest.ImportText(ChampSim{}, good, format.Options{Set: map[string]string{"record": "65"}})
	formattest.WantError(t, "record=65", err, "", "--set record=65: choose 64, 96 or auto")
	_, r := formattest.MustImport(t, ChampSim{}, formattest.ChampsimOf(64, formattest.Instruction{}), format.Options{})
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "1 instruction at address 0") }) {
		t.Errorf("a record of zeros: notes %q", r.Notes)
	}
}

func TestChampSimSniff(t *testing.T) {
	good := formattest.ChampsimOf(64, formattest.FewInstructions...)
	for name, c := range map[string]struct {
		head string
		want format.Confidence
	}{
		"64":           {good, format.Likely},
		"96":           {formattest.ChampsimOf(96, formattest.FewInstructions...), format.Likely},
		"cut":          {good + "xyz", format.Likely},
		"kernel":       {formattest.ChampsimOf(64, formattest.Instruction{IP: 0xffffffff81000000}, formattest.Instruction{IP: 0xffffffff81000004}), format.Likely},
		"one record":   {good[:64], format.Foreign},
		"zeros":        {strings.Repeat("\x00", 256), format.Foreign},
		"flags":        {good + formattest.ChampsimOf(64, formattest.Instruction{IP: 1, Branch: 2}), format.Foreign},
		"not an ip":    {good + formattest.ChampsimOf(64, formattest.Instruction{IP: 1 << 50}), format.Foreign},
		"not a load":   {good + formattest.ChampsimOf(64, formattest.Instruction{IP: 1, Loads: []uint64{1 << 50}}), format.Foreign},
		"text":         {strings.Repeat("0 1000\n", 1000), format.Foreign},
		"all distant":  {formattest.ChampsimOf(64, formattest.Instruction{IP: 1 << 20}, formattest.Instruction{IP: 2 << 20}, formattest.Instruction{IP: 3 << 20}), format.Foreign},
		"random bytes": {formattest.RandomBytes(1 << 12), format.Foreign},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (ChampSim{}).Sniff([]byte(c.head)); got.Confidence != c.want {
				t.Errorf("%v", got)
			}
		})
	}
}

// The numbers of the samples' README, which python counted.
func TestChampSimSamples(t *testing.T) {
	dir := formattest.Shared(t, "champsim")
	matmul := champsimFacts{147678, 14474, 33779, 13044, 13930, 1427, 0x401ab70, 0x491c407}
	first := champsimFacts{1000, 160, 204, 164, 377, 57, 0x401ab70, 0x4019800}
	for name, want := range map[string]champsimFacts{"matmul.champsim.gz": matmul, "matmul.champsim.xz": matmul,
		"matmul_first1000.champsim": first, "matmul_first1000.champsim.bz2": first} {
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			m, r, err := formattest.ImportBytes(ChampSim{}, file, format.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := champsimFacts{records: r.Lines, branches: r.Counts[1].N, loads: r.Counts[3].N, stores: r.Counts[4].N}
			if r.Counts[2].N != got.branches {
				t.Errorf("%d branches, but %d taken", got.branches, r.Counts[2].N)
			}
			ips, lines, n := map[uint64]bool{}, map[uint64]bool{}, map[trace.Op]uint64{}
			for _, r := range formattest.Rows(m, 0) {
				n[r.Op]++
				if r.Op != trace.Ifetch {
					lines[r.Addr>>6] = true
					continue
				}
				if len(ips) == 0 {
					got.first = r.Addr
				}
				ips[r.Addr], got.last = true, r.Addr
			}
			got.ips, got.lines = len(ips), len(lines)
			if got != want || n[trace.Ifetch] != want.records || n[trace.Load] != want.loads || n[trace.Store] != want.stores {
				t.Errorf("%+v, %v, want %+v", got, n, want)
			}
			formattest.CheckRoundTrip(t, ChampSim{}, m)
		})
	}
}

type champsimFacts struct {
	records, branches, loads, stores uint64
	ips, lines                       int
	first, last                      uint64
}

func TestMalformedChampSim(t *testing.T) {
	dir := filepath.Join(formattest.Shared(t, "malformed"), "address")
	for name, want := range map[string]string{
		"a25_champsim_partial.champsim":     "record 10, offset 640: 17 trailing bytes: not a multiple of 64",
		"a26_champsim_empty.champsim":       "record 0, offset 0: the file is empty",
		"a27_champsim_truncated.xz":         "compressed offset 300: ",
		"a29_badcrc.champsim.gz":            "compressed offset 379: ",
		"a30_trailing_garbage.champsim.gz":  "compressed offset ",
		"a32_champsim_is_branch_2.champsim": "record 0, offset 8: is_branch is 2, not 0 or 1",
	} {
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = formattest.ImportBytes(ChampSim{}, file, format.Options{})
			formattest.WantError(t, name, err, "standard input: ", want)
		})
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
		formattest.CheckRoundTrip(t, ChampSim{}, randomChampSim(rng, 4, 2))
	}
	for range 50 {
		m := randomChampSim(rng, 4, 4)
		set := map[string]string{"record": "96"}
		var b bytes.Buffer
		if _, err := (ChampSim{}).Export(m, format.ExportOptions{Set: set}, &b); err != nil {
			t.Fatal(err)
		}
		got, _ := formattest.MustImport(t, ChampSim{}, b.String(), format.Options{Set: set})
		formattest.SameTrace(t, "96", got, m)
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
	want := []formattest.Instruction{
		{IP: champsimUnknown, Loads: []uint64{0x7000}},
		{IP: 0x401000, Loads: []uint64{0x7008}, Stores: []uint64{0x8000, 0x8008}},
		{IP: 0x401000, Stores: []uint64{0x8010}},
		{IP: 0x401004, Branch: 1, Taken: 1},
		{IP: 0x402000, Branch: 1, Taken: 1, Loads: []uint64{0x7010}},
		{IP: 0x402010},
	}
	var b bytes.Buffer
	notes, err := ChampSim{}.Export(m, format.ExportOptions{}, &b)
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
	if string(got) != formattest.ChampsimOf(64, want...) {
		t.Errorf("got  %x\nwant %x", got, formattest.ChampsimOf(64, want...))
	}
	for _, note := range []string{"champsim has no flush: 1 omitted", "champsim has no events: 1 omitted", "champsim has no instruction counts", "champsim has no sizes",
		"2 instructions without a fetch in the trace", "1 of them have no known address and get 0x400000", "champsim has no address 0: 1 references",
		"1 record added", "1 load moved before a store", "1 instruction fetches that belong to the previous instruction"} {
		t.Run(note, func(t *testing.T) {
			if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, note) }) {
				t.Errorf("notes %q, want %q", notes, note)
			}
		})
	}
	if len(notes) != 10 {
		t.Errorf("%d notes: %q", len(notes), notes)
	}
}

func FuzzChampSim(f *testing.F) {
	f.Add([]byte(formattest.ChampsimOf(64, formattest.FewInstructions...)), uint8(0))
	f.Add([]byte(formattest.ChampsimOf(96, formattest.FewInstructions...)), uint8(1))
	f.Fuzz(func(t *testing.T, file []byte, how uint8) {
		o := format.Options{Modify: format.Modify(how >> 1 & 3), DropIfetch: how&8 != 0, DefaultSize: uint16(how >> 4)}
		if how&1 != 0 {
			o.Set = map[string]string{"record": "96"}
		}
		m, _, err := formattest.ImportBytes(ChampSim{}, file, o)
		formattest.CheckImported(t, m, err)
		if how != 0 {
			return
		}
		// What is written may look like records of 96 bytes, which hold more.
		o.Set = map[string]string{"record": "64"}
		if m, _, err = formattest.ImportBytes(ChampSim{}, file, o); err == nil {
			var b bytes.Buffer
			if _, err := (ChampSim{}).Export(m, format.ExportOptions{}, &b); err != nil {
				t.Fatal(err)
			}
			again, _ := formattest.MustImport(t, ChampSim{}, b.String(), o)
			formattest.SameTrace(t, "champsim exported and imported", again, m)
		}
	})
}

// BenchmarkImportChampSim reads a loop over arrays: of ten instructions three load
// and one stores, as in real programs.
func BenchmarkImportChampSim(b *testing.B) {
	const n = 2_000_000
	all := make([]formattest.Instruction, 0, n)
	for i := range uint64(n) {
		in := formattest.Instruction{IP: 0x401000 + i%10*4}
		switch i % 10 {
		case 1, 4:
			in.Loads = []uint64{0x7f0000000000 + i/10*8}
		case 6:
			in.Loads = []uint64{0x7f0010000000 + i*i%(1<<20)*8}
		case 7:
			in.Stores = []uint64{0x7f0020000000 + i/10*8}
		case 9:
			in.Branch, in.Taken = 1, 1
		}
		all = append(all, in)
	}
	formattest.BenchmarkRecords(b, ChampSim{}, []byte(formattest.ChampsimOf(64, all...)), n, format.Options{})
}
