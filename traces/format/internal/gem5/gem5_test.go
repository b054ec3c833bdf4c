package gem5

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// Gem5Bytes builds traces field by field.
type Gem5Bytes struct{ bytes.Buffer }

func (b *Gem5Bytes) message(m []byte) *Gem5Bytes {
	b.Write(formattest.WithLength(nil, string(m)))
	return b
}

// Begin writes the magic and a header that names requestors from 0.
func (b *Gem5Bytes) Begin(names ...string) *Gem5Bytes {
	b.Write(gem5Magic)
	m := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "monitor")
	m = appendNumber(m, 3, 1e12)
	for i, name := range names {
		id := protowire.AppendString(protowire.AppendTag(appendNumber(nil, 1, uint64(i)), 2, protowire.BytesType), name)
		m = protowire.AppendBytes(protowire.AppendTag(m, 4, protowire.BytesType), id)
	}
	return b.message(m)
}

// packet writes the fields from tick on.
func (b *Gem5Bytes) packet(values ...uint64) *Gem5Bytes {
	var m []byte
	for i, v := range values {
		m = appendNumber(m, protowire.Number(i+1), v)
	}
	return b.message(m)
}

func TestGem5Commands(t *testing.T) {
	var b Gem5Bytes
	b.Begin()
	for n := range uint64(48) {
		b.packet(n, n, 0x1000+n, 8)
	}
	b.packet(50, 1, 0x2000, 4, gem5InstFetch).packet(51, 1, 0x2004, 4, gem5PrefetchFlag).packet(52, 1<<40, 0x2008, 4)
	for _, c := range []struct {
		version                                     string
		loads, stores, prefetches, flushes, unknown uint64
	}{
		{"24", 7, 5, 4, 2, 3}, // ReadReq, ReadEx, Clean, Shared, Locked, RMW, Swap
		{"21", 6, 4, 4, 2, 4 + 3},
		{"stable", 1, 1, 1, 0, 46 + 1},
	} {
		t.Run(c.version, func(t *testing.T) {
			m, r := formattest.MustImport(t, Gem5{}, b.String(), formattest.Set(gem5Version, c.version))
			got := map[trace.Op]uint64{}
			for _, r := range formattest.Rows(m, 0) {
				got[r.Op]++
			}
			want := map[trace.Op]uint64{trace.Load: c.loads, trace.Store: c.stores, trace.Ifetch: 1, trace.Prefetch: c.prefetches}
			if c.flushes > 0 {
				want[trace.Flush] = c.flushes
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || formattest.CountsOf(r)["commands of unknown number"] != c.unknown {
				t.Errorf("version %s: %v, want %v; %d unknown, want %d", c.version, got, want, formattest.CountsOf(r)["commands of unknown number"], c.unknown)
			}
			if formattest.CountsOf(r)["ReadReq"] != 3 || formattest.CountsOf(r)["WriteReq"] != 1 || formattest.CountsOf(r)["packets"] != 51 {
				t.Errorf("version %s: counts %v", c.version, r.Counts)
			}
		})
	}
	if _, _, err := formattest.ImportText(Gem5{}, b.String(), formattest.Set(gem5Version, "7")); err == nil || !strings.Contains(err.Error(), "choose 24, 21 or stable") {
		t.Errorf("version 7: %v", err)
	}
	if _, _, err := formattest.ImportText(Gem5{}, b.String(), formattest.Set(gem5By, "core")); err == nil || !strings.Contains(err.Error(), "choose port, cpu or one") {
		t.Errorf("by=core: %v", err)
	}
}

func TestGem5Processors(t *testing.T) {
	names := []string{"writebacks", "sys.cpu0.inst", "sys.cpu0.data", "sys.cpu1.inst", "sys.cpu1.data", "sys.cpu1.mmu.dtb.walker", "sys.cpu10.x"}
	var b Gem5Bytes
	b.Begin(names...)
	for i, id := range []uint64{1, 2, 3, 1, 4, 5, 2, 6} {
		cmd, flags := uint64(1), uint64(0)
		if id == 1 || id == 3 {
			flags = gem5InstFetch
		}
		b.packet(uint64(i), cmd, 0x1000+id, 4, flags, id, 0x400000+uint64(i))
	}
	for by, want := range map[string][][]formattest.Row{
		"port": {{{Instr: 1, Addr: 0x1001, Size: 4, Op: trace.Ifetch}, {Instr: 1, Addr: 0x1001, Size: 4, Op: trace.Ifetch}}, {{Instr: 1, Addr: 0x1002, Size: 4, Op: trace.Load}, {Instr: 1, Addr: 0x1002, Size: 4, Op: trace.Load}},
			{{Instr: 1, Addr: 0x1003, Size: 4, Op: trace.Ifetch}}, {{Instr: 1, Addr: 0x1004, Size: 4, Op: trace.Load}}, {{Instr: 1, Addr: 0x1005, Size: 4, Op: trace.Load}}, {{Instr: 1, Addr: 0x1006, Size: 4, Op: trace.Load}}},
		"cpu": {{{Instr: 1, Addr: 0x1001, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x1002, Size: 4, Op: trace.Load}, {Instr: 1, Addr: 0x1001, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x1002, Size: 4, Op: trace.Load}},
			{{Instr: 1, Addr: 0x1003, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x1004, Size: 4, Op: trace.Load}, {Instr: 0, Addr: 0x1005, Size: 4, Op: trace.Load}}, {{Instr: 1, Addr: 0x1006, Size: 4, Op: trace.Load}}},
		"one": {{{Instr: 1, Addr: 0x1001, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x1002, Size: 4, Op: trace.Load}, {Instr: 1, Addr: 0x1003, Size: 4, Op: trace.Ifetch}, {Instr: 1, Addr: 0x1001, Size: 4, Op: trace.Ifetch},
			{Instr: 0, Addr: 0x1004, Size: 4, Op: trace.Load}, {Instr: 0, Addr: 0x1005, Size: 4, Op: trace.Load}, {Instr: 0, Addr: 0x1002, Size: 4, Op: trace.Load}, {Instr: 0, Addr: 0x1006, Size: 4, Op: trace.Load}}},
	} {
		t.Run(by, func(t *testing.T) {
			o := formattest.Set(gem5By, by)
			o.PC = true
			m, r := formattest.MustImport(t, Gem5{}, b.String(), o)
			if r.Procs != len(want) {
				t.Errorf("by=%s: %d processors, want %d", by, r.Procs, len(want))
			}
			for p := range want {
				if got := formattest.Rows(m, trace.Proc(p)); !slices.Equal(got, want[p]) {
					t.Errorf("by=%s, processor %d: %v, want %v", by, p, got, want[p])
				}
			}
			if m.RefsOf[0].PC[0] != 0x400000 {
				t.Errorf("by=%s: pcs %#x", by, m.RefsOf[0].PC)
			}
			first := map[string]string{"port": "0 is sys.cpu0.inst, 1 is sys.cpu0.data, 2 is sys.cpu1.inst", "cpu": "0 is sys.cpu0, 1 is sys.cpu1, 2 is sys.cpu10.x", "one": "0 is all requestors"}
			notes := map[string][]string{"one": nil,
				"port": {"no instruction fetches of processors 1, 3, 4, 5: each request there counts as one instruction", "every processor counts its own instructions, so the order of packets of different processors is lost"},
				"cpu":  {"no instruction fetches of processor 2: each request there counts as one instruction", "every processor counts its own instructions"}}
			formattest.WantNotes(t, r, append(notes[by], "processors are numbered by their first requests: "+first[by])...)
			if r.Rule != "" {
				t.Errorf("by=%s: order by %s", by, r.Rule)
			}
		})
	}
	_, r := formattest.MustImport(t, Gem5{}, b.String(), format.Options{DropIfetch: true})
	formattest.WantNotes(t, r, "no instruction fetches of processors 1, 3, 4, 5", "every processor", "the pc of 8 packets is omitted", "processors are")
}

func TestGem5CountsAllTogether(t *testing.T) {
	var b Gem5Bytes
	b.Begin("cpu0.inst", "cpu0.data", "cpu1.inst", "cpu1.data")
	for _, id := range []uint64{1, 0, 1, 2, 3, 0} {
		b.packet(1, 1, 0x1000+id, 4, gem5InstFetch*(1-id&1), id)
	}
	m, r := formattest.MustImport(t, Gem5{}, b.String(), format.Options{Set: map[string]string{emit.CountBy: "all", gem5By: "cpu"}})
	for p, want := range [][]formattest.Row{{{Instr: 1, Addr: 0x1001, Size: 4, Op: trace.Load}, {Instr: 1, Addr: 0x1000, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x1001, Size: 4, Op: trace.Load}, {Instr: 2, Addr: 0x1000, Size: 4, Op: trace.Ifetch}},
		{{Instr: 3, Addr: 0x1002, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x1003, Size: 4, Op: trace.Load}}} {
		if got := formattest.Rows(m, trace.Proc(p)); !slices.Equal(got, want) {
			t.Errorf("processor %d: %v, want %v", p, got, want)
		}
	}
	formattest.WantNotes(t, r, "1 request before the first instruction fetch of their processor counted as one instruction each",
		"all processors share one instruction count, so that merging keeps the order of the packets", "processors are")
	if r.Rule != "order of the packets, as instructions executed" {
		t.Errorf("order by %q", r.Rule)
	}
	_, _, err := formattest.ImportText(Gem5{}, b.String(), formattest.Set(emit.CountBy, "each"))
	if err == nil || !strings.Contains(err.Error(), "choose own or all") {
		t.Errorf("count=each: %v", err)
	}
}

func TestGem5Notes(t *testing.T) {
	var b Gem5Bytes
	b.Begin().packet(9, 22, 0x40, 64).packet(5, 4, 0x80, 4).packet(6, 34, 0x90, 4).packet(7, 2, 0, 0).packet(7, 99, 0, 0)
	m, r := formattest.MustImport(t, Gem5{}, b.String(), format.Options{PC: true})
	want := []formattest.Row{{Instr: 1, Addr: 0x40, Size: 64, Op: trace.Load}, {Instr: 1, Addr: 0x80, Size: 4, Op: trace.Store}, {Instr: 1, Addr: 0x90, Size: 4, Op: trace.Load}, {Instr: 0, Addr: 0x90, Size: 4, Op: trace.Store}}
	if got := formattest.Rows(m, 0); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	formattest.WantNotes(t, r, "omitted: 1 unknown command (99; see --set version), 1 response",
		"1 request of caches", "no instruction fetches", "3 references of unknown instructions: pc 0", "ticks go backwards 1 time", "processors are")
}

func TestGem5NamesArePrintable(t *testing.T) {
	_, r := formattest.MustImport(t, Gem5{}, new(Gem5Bytes).Begin("a\nb").packet(1, 1, 2, 3).String(), format.Options{})
	formattest.WantNotes(t, r, "no instruction fetches", `0 is "a.b"`)
}

func TestBadGem5(t *testing.T) {
	good := new(Gem5Bytes).Begin().packet(1, 1, 2, 3).String()
	at := fmt.Sprintf("standard input: record 2, offset %d: ", len(good))
	header := func(m []byte) string {
		b := new(Gem5Bytes)
		b.Write(gem5Magic)
		return b.message(m).String()
	}
	obj := "\x0a\x01x"
	for _, c := range []struct{ text, place, reason string }{
		{"", "standard input: record 0, offset 0: ", "empty"},
		{"gem6", "standard input: record 0, offset 0: ", "the magic is not gem5"},
		{"gem", "standard input: record 0, offset 0: ", "the magic is not gem5"},
		{"gem5", "standard input: record 0, offset 4: ", "no header"},
		{good[:4+1+int(good[4])], "standard input: record 1, offset 21: ", "no packets"},
		{header([]byte(obj + "\x18\x01\x20\x01")), "standard input: record 0, offset 4: ", "this is a gem5 instruction trace, not a packet trace"},
		{header([]byte("\x18\x01")), "standard input: record 0, offset 4: ", "without the required field 1 (obj_id)"},
		{header([]byte(obj)), "standard input: record 0, offset 4: ", "without the required field 3 (tick_freq)"},
		{header([]byte(obj + "\x18\x00")), "standard input: record 0, offset 4: ", "0 ticks per second"},
		{header([]byte("\x08\x01\x18\x01")), "standard input: record 0, offset 4: ", "field 1 is a varint, not a string or message"},
		{header([]byte(obj + "\x18")), "standard input: record 0, offset 4: ", "field 3 is damaged or truncated"},
		{header([]byte(obj + "\x18\x01\x22\x02\x0a\x00")), "standard input: record 0, offset 4: ", "id_strings: field 1 is a string"},
		{good + "\x00", at, "packet without the required tick, cmd, addr, size"},
		{good + "\x06\x08\x01\x10\x01\x18\x01", at, "packet without the required size"},
		{good + "\x05\x08\x01\x15\x01\x18", at, "field 2 is damaged or truncated"},
		{good + "\x07\x08\x01\x15\x01\x18\x01\x01", at, "field 2 is a fixed 32-bit number, not a varint"},
		{good + "\x02\x08\xff", at, "field 1 is damaged or truncated"},
		{good + "\x01\x07", at, "damaged tag"},
		{good + "\x08\x08\x01\x10\x01\x18\x01\x20\x00", at, "access of 0 bytes"},
		{good + "\x0a\x08\x01\x10\x01\x18\x01\x20\x80\x80\x04", at, "over the limit of 65535"},
		{good + "\x0c\x08\x01\x10\x01\x18\x01\x20\x04\x30\x80\x80\x04", at, "pkt_id 65536 is not a requestor"},
		{good + "\x09\x08", at, "the message is truncated: 1 bytes of 9"},
		{new(Gem5Bytes).Begin().packet(1, 2, 0, 0).String(), "standard input: record 2, offset 30: ", "without requests of a processor: 1 response;"},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, _, err := formattest.ImportText(Gem5{}, c.text, format.Options{})
			formattest.WantError(t, fmt.Sprintf("%.60q", c.text), err, c.place, c.reason)
		})
	}
}

func TestGem5RoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		m := formattest.RandomTrace(rng, []trace.Op{trace.Load, trace.Store, trace.Ifetch, trace.Prefetch}, 63)
		formattest.CheckRoundTrip(t, Gem5{}, m)
	}
	// Two processors with pcs, whose instructions are all fetched.
	m := &trace.Memory{Head: trace.Header{Procs: 2, WorkUnit: trace.WorkInstr, HasPC: true}, RefsOf: make([]trace.Refs, 2)}
	for p := range m.RefsOf {
		m.RefsOf[p].Proc = trace.Proc(p)
	}
	for i := range uint32(200) {
		p := rng.IntN(2)
		if i == 0 {
			p = 0
		}
		r := &m.RefsOf[p]
		r.Append(1, 0x1000+uint64(i)*4, 4, trace.Ifetch)
		r.Append(0, rng.Uint64()>>1, 8, trace.Store)
		r.PC = append(r.PC, 0x1000+uint64(i)*4, 7)
	}
	var b bytes.Buffer
	notes, err := Gem5{}.Export(m, format.ExportOptions{}, &b)
	if err != nil {
		t.Fatal(err)
	}
	formattest.WantNotes(t, format.Result{Notes: notes}, "gem5 has ticks: an instruction takes 1000")
	again, r := formattest.MustImport(t, Gem5{}, b.String(), format.Options{PC: true})
	formattest.SameTrace(t, "two processors", again, m)
	for p := range m.RefsOf {
		if !slices.Equal(again.RefsOf[p].PC, m.RefsOf[p].PC) {
			t.Errorf("processor %d: the pc columns differ", p)
		}
	}
	latest := max(m.RefsOf[0].Len(), m.RefsOf[1].Len()) / 2 * 1000
	if want := fmt.Sprintf(`recorded by "spoor" from tick 1000 to %d, at 1000000000000 ticks per second`, latest); !slices.Contains(r.Facts, want) {
		t.Errorf("facts %q, want %q", r.Facts, want)
	}
	_, err = Gem5{}.Export(m, format.ExportOptions{Set: map[string]string{gem5Ticks: "0"}}, &b)
	if err == nil || !strings.Contains(err.Error(), "from 1 to") {
		t.Errorf("0 ticks: %v", err)
	}
	m.RefsOf[0].Op[1] = trace.Flush
	m.EventsOf = []trace.Events{{Rows: []trace.Event{trace.NewEvent(trace.Barrier)}}}
	if notes, err = (Gem5{}).Export(m, format.ExportOptions{Procs: []trace.Proc{0}}, &b); err != nil {
		t.Fatal(err)
	}
	formattest.WantNotes(t, format.Result{Notes: notes}, "gem5 has no flush: 1", "gem5 has no events: 1", "gem5 has ticks")
}

func TestGem5Samples(t *testing.T) {
	dir := formattest.Shared(t, "gem5")
	for _, name := range []string{"tiny.ptrc", "tiny.ptrc.gz", "tiny_minimal.trc"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			minimal := name == "tiny_minimal.trc"
			if _, r := formattest.MustImport(t, Gem5{}, string(file), format.Options{}); !minimal && r.Procs != 2 {
				t.Errorf("%d requestors, want 2", r.Procs)
			}
			m, r := formattest.MustImport(t, Gem5{}, string(file), format.Options{PC: true, Set: map[string]string{gem5By: "cpu"}})
			facts := map[string]uint64{"packets": 72, "bytes": 779, "id_strings": 3, "ReadReq": 36, "WriteReq": 34, "WritebackDirty": 1, "SoftPFExReq": 1}
			if !minimal {
				facts["packets with flags"], facts["packets with pkt_id"], facts["packets with pc"] = 72, 72, 70
			}
			for fact, want := range facts {
				if got := formattest.CountsOf(r)[fact]; got != want {
					t.Errorf("%d %s, want %d", got, fact, want)
				}
			}
			if want := `recorded by "system.monitor" from tick 1500 to 35103, at 1000000000000 ticks per second`; !slices.Contains(r.Facts, want) {
				t.Errorf("facts %q, want %q", r.Facts, want)
			}
			first, procs := formattest.Row{Instr: 1, Addr: 4198400, Size: 7, Op: trace.Ifetch}, 1
			instr := uint64(28) // as many as there are fetches
			if minimal {
				first.Op, instr = trace.Load, 71 // every request is one
			}
			var sum uint64
			for _, r := range formattest.Rows(m, 0) {
				sum += uint64(r.Instr)
			}
			if sum != instr {
				t.Errorf("%d instructions, want %d", sum, instr)
			}
			if r.Procs != procs || formattest.Rows(m, 0)[0] != first || m.RefsOf[0].PC[0] != map[bool]uint64{false: 4198400}[minimal] {
				t.Errorf("%d processors, %+v", r.Procs, formattest.Rows(m, 0)[0])
			}
			lines := map[uint64]bool{4202496 / 64: true} // that of the writeback
			for p := range m.RefsOf {
				for _, r := range formattest.Rows(m, trace.Proc(p)) {
					for line := r.Addr / 64; line <= (r.Addr+uint64(r.Size)-1)/64; line++ {
						lines[line] = true
					}
				}
			}
			if len(lines) != 13 {
				t.Errorf("%d lines, want 13", len(lines))
			}
		})
	}
}

func TestMalformedGem5(t *testing.T) {
	dir := formattest.Shared(t, filepath.Join("malformed", "address"))
	for file, want := range map[string][2]string{
		"a48_gem5_cut.ptrc":      {"record 72, offset 1738: ", "the message is truncated: 17 bytes of 20"},
		"a49_gem5_varint.ptrc":   {"record 1, offset 74: ", "a varint longer than 10 bytes"},
		"a50_gem5_huge_len.ptrc": {"record 1, offset 74: ", "4294967295, exceeds the limit"},
	} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = formattest.ImportBytes(Gem5{}, text, format.Options{})
			formattest.WantError(t, file, err, "standard input: "+want[0], want[1])
		})
	}
}

func FuzzGem5(f *testing.F) {
	f.Add(new(Gem5Bytes).Begin("a.inst", "a.data").packet(1, 1, 2, 3, gem5InstFetch, 0, 7).packet(2, 4, 9, 8, 0, 1, 7).Bytes(), uint8(0))
	f.Add(new(Gem5Bytes).Begin().packet(1, 34, 2, 3).packet(0, 99, 9, 8).packet(0, 7, 9, 8, gem5PrefetchFlag).Bytes(), uint8(5))
	f.Fuzz(func(t *testing.T, file []byte, how uint8) {
		o := formattest.Set(gem5By, gem5Bys[how%3])
		o.PC, o.DropIfetch, o.Modify = how&4 != 0, how&8 != 0, format.Modify(how>>4&3)
		m, _, err := formattest.ImportBytes(Gem5{}, file, o)
		formattest.CheckImported(t, m, err)
	})
}

func BenchmarkImportGem5(b *testing.B) {
	var stream Gem5Bytes
	stream.Begin("cpu.inst", "cpu.data")
	const n = 1_000_000
	for i := range uint64(n / 2) {
		pc := 0x401000 + i%100*4
		stream.packet(i*500, 1, pc, 4, gem5InstFetch, 0, pc)
		stream.packet(i*500, 1+i%2*3, 0x7f0000000+i%4<<20+i/4*8, 8, 0, 1, pc)
	}
	formattest.BenchmarkRecords(b, Gem5{}, stream.Bytes(), n, format.Options{})
}
