package din

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/csv"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/format/internal/lackey"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

func TestDinOfTinyIsTiny(t *testing.T) {
	want, _ := formattest.MustImport(t, lackey.Lackey{}, formattest.Sample(t, "tiny.log"), format.Options{})
	text := formattest.DinOfTiny(t, true)
	for name, text := range map[string]string{
		"xdin":             text,
		"carriage returns": strings.ReplaceAll(text, "\n", "\r\n"),
		"comments":         strings.ReplaceAll(text, "\n", "\tcomment 1 2\n"),
		"upper case, 0x":   strings.ReplaceAll(strings.ToUpper(text), " 00", "  0X00"),
		"no line end":      strings.TrimSuffix(text, "\n"),
		"tabs":             strings.ReplaceAll(text, " ", "\t"),
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := formattest.MustImport(t, XDin{}, text, format.Options{})
			formattest.SameTrace(t, name, got, want)
		})
	}
	for i := range want.RefsOf[0].Size {
		want.RefsOf[0].Size[i] = 4
	}
	got, r := formattest.MustImport(t, Din{}, formattest.DinOfTiny(t, false), format.Options{})
	formattest.SameTrace(t, "din", got, want)
	if !slices.Contains(r.Notes, "din has no sizes: every reference counts as 4 bytes") {
		t.Errorf("din: notes %q", r.Notes)
	}
}

func TestDinLabels(t *testing.T) {
	want := []formattest.Row{{Instr: 1, Addr: 0x10, Size: 4, Op: trace.Load}, {Instr: 1, Addr: 0x11, Size: 4, Op: trace.Store}, {Instr: 1, Addr: 0x12, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x13, Size: 4, Op: trace.Load},
		{Instr: 0, Addr: 0x14, Size: 4, Op: trace.Flush}, {Instr: 0, Addr: 0x15, Size: 4, Op: trace.Flush}}
	for _, c := range []struct {
		im   format.Importer
		text string
	}{
		{Din{}, "0 10\n1 11 x\n2 0x12\n3 13\n4 14\n5 15\n"},
		{XDin{}, "r 10 4\nw 11 4\ni 12 4\nm 13 4\nc 14 4\nv 15 4\n"},
		{XDin{}, "R 10 4\nW 11 0x4\nI 12 4\nM 13 4\nC 14 4\nV 15 4\n"},
	} {
		t.Run(c.text, func(t *testing.T) {
			m, r := formattest.MustImport(t, c.im, c.text, format.Options{})
			if got := formattest.Rows(m, 0); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", c.im.Info().Name, got, want)
			}
			for _, note := range []string{"1 misc reference stored as loads", "2 references before the first instruction fetch"} {
				if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, note) }) {
					t.Errorf("%s: notes %q, want %q", c.im.Info().Name, r.Notes, note)
				}
			}
		})
	}
}

func TestDinWithoutFetches(t *testing.T) {
	m, r := formattest.MustImport(t, Din{}, "0 10\n1 20\n0 30\n", format.Options{DefaultSize: 8})
	want := []formattest.Row{{Instr: 1, Addr: 0x10, Size: 8, Op: trace.Load}, {Instr: 1, Addr: 0x20, Size: 8, Op: trace.Store}, {Instr: 1, Addr: 0x30, Size: 8, Op: trace.Load}}
	if got := formattest.Rows(m, 0); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !slices.Contains(r.Notes, "no instruction fetches: every reference counts as one instruction") {
		t.Errorf("notes %q", r.Notes)
	}
	m, _ = formattest.MustImport(t, Din{}, "2 10\n2 14\n0 20\n2 18\n", format.Options{DropIfetch: true})
	if got, want := formattest.Rows(m, 0), []formattest.Row{{Instr: 2, Addr: 0x20, Size: 4, Op: trace.Load}}; !slices.Equal(got, want) {
		t.Errorf("fetches dropped: %v, want %v", got, want)
	}
	if e := formattest.Events(m, 0); len(e) != 1 || e[0].Instr != 3 || e[0].Refs != 1 {
		t.Errorf("fetches dropped: events %+v", e)
	}
}

func TestBadDin(t *testing.T) {
	for _, c := range []struct {
		im     format.Importer
		text   string
		line   int
		reason string
	}{
		{Din{}, "", 1, "empty"},
		{Din{}, "0 1000\n\n1 2000\n", 2, "blank line"},
		{Din{}, "0 1000\n \t\r\n1 2000\n", 2, "blank line"},
		{Din{}, "0\n", 1, "the address is missing"},
		{Din{}, "0 1000\n2", 2, "the address is missing: \"2\"; write label and hexadecimal address; the file ends within this line: it may be truncated"},
		{Din{}, "0 zz\n", 1, "not a hexadecimal number"},
		{Din{}, "0 12zz\n", 1, "not a hexadecimal number"},
		{Din{}, "0 -12\n", 1, "a negative number"},
		{Din{}, "0 0x\n", 1, "missing"},
		{Din{}, "0 12345678901234567\n", 1, "over 64 bits"},
		{Din{}, "0 10\n6 10\n", 2, "unknown label"},
		{Din{}, "01 10\n", 1, "unknown label"},
		{Din{}, "r 10 4\n", 1, "labels are 0 to 5"},
		{Din{}, "0 10\n0 fffffffffffffffe\n", 2, "wraps around"},
		{Din{}, "0 10\n\x00\x00\x00\n", 2, "3 NUL bytes"},
		{Din{}, "0 10\n0 10\x00\n", 2, "1 NUL byte"},
		{Din{}, "\xff\xfe0\x00", 1, "UTF-16"},
		{Din{}, "0 10\n0 10 " + strings.Repeat("x", input.MaxLine), 2, "longer than 1 MiB"},
		{XDin{}, "r 1000\n", 1, "the size is missing"},
		{XDin{}, "r 1000 g\n", 1, "the size is not a hexadecimal number"},
		{XDin{}, "r 1000 -4\n", 1, "the size is a negative number"},
		{XDin{}, "r 1000 0\n", 1, "0 bytes"},
		{XDin{}, "r 1000 10000\n", 1, "over the limit"},
		{XDin{}, "r fffffffffffffffc 8\n", 1, "wraps around"},
		{XDin{}, "0 1000 4\n", 1, "labels are r, w, i, m, c, v"},
	} {
		_, _, err := formattest.ImportText(c.im, c.text, format.Options{})
		formattest.WantError(t, fmt.Sprintf("%s %.30q", c.im.Info().Name, c.text), err, fmt.Sprintf("standard input:%d: ", c.line), c.reason)
	}
}

func TestD4Bin(t *testing.T) {
	record := func(addr uint32, size uint16, kind byte) string {
		return string([]byte{byte(addr), byte(addr >> 8), byte(addr >> 16), byte(addr >> 24), byte(size), byte(size >> 8), kind, 0})
	}
	m, _ := formattest.MustImport(t, D4Bin{}, record(0x130, 4, 2)+record(0xffffff80, 8, 0)+record(0x2b558, 2, 1), format.Options{})
	want := []formattest.Row{{Instr: 1, Addr: 0x130, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0xffffff80, Size: 8, Op: trace.Load}, {Instr: 0, Addr: 0x2b558, Size: 2, Op: trace.Store}}
	if got := formattest.Rows(m, 0); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range []struct{ text, place, reason string }{
		{"", "standard input: record 0, offset 0: ", "empty"},
		{record(1, 1, 0) + "xyz", "standard input: record 1, offset 8: ", "3 trailing bytes: not a multiple of 8"},
		{record(1, 1, 0) + record(1, 0, 0), "standard input: record 1, offset 12: ", "0 bytes"},
		{record(1, 1, 6), "standard input: record 0, offset 6: ", "unknown type 6"},
	} {
		_, _, err := formattest.ImportText(D4Bin{}, c.text, format.Options{})
		formattest.WantError(t, fmt.Sprintf("%.20q", c.text), err, c.place, c.reason)
	}
	big := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	big.RefsOf[0].Append(1, 1<<32, 4, trace.Load)
	if _, err := (D4Bin{}).Export(big, format.ExportOptions{}, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "32-bit") {
		t.Errorf("an address of 33 bits: %v", err)
	}
}

func TestRoundTrips(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range testsize.Cases(200, 40) {
		formattest.CheckRoundTrip(t, lackey.Lackey{}, formattest.RandomTrace(rng, []trace.Op{trace.Load, trace.Store, trace.Ifetch}, 63))
		formattest.CheckRoundTrip(t, XDin{}, formattest.RandomTrace(rng, []trace.Op{trace.Load, trace.Store, trace.Ifetch, trace.Flush}, 63))
		formattest.CheckRoundTrip(t, D4Bin{}, formattest.RandomTrace(rng, []trace.Op{trace.Load, trace.Store, trace.Ifetch, trace.Flush}, 32))
		formattest.CheckRoundTrip(t, csv.CSV{}, formattest.RandomTrace(rng, trace.Ops, 63))
		four := formattest.RandomTrace(rng, []trace.Op{trace.Load, trace.Store, trace.Ifetch, trace.Flush}, 63)
		for i := range four.RefsOf[0].Size {
			four.RefsOf[0].Size[i] = 4
		}
		formattest.CheckRoundTrip(t, Din{}, four)
	}
}

// What exporters lose, they say.
func TestExportNotes(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 2, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, 2), EventsOf: make([]trace.Events, 2)}
	m.RefsOf[0].Append(5, 0x10, 8, trace.Load)
	m.RefsOf[0].Append(1, 0x10, 8, trace.Prefetch)
	m.RefsOf[0].Append(1, 0x10, 8, trace.Flush)
	m.RefsOf[1].Proc, m.EventsOf[1].Proc = 1, 1
	m.EventsOf[0].Rows = []trace.Event{trace.NewEvent(trace.Barrier), trace.NewEvent(trace.Compute)}
	for _, c := range []struct {
		ex    format.Exporter
		text  string
		notes []string
	}{
		{lackey.Lackey{}, " L 00000010,8\n", []string{"lackey has no prefetch: 1 omitted", "lackey has no flush: 1 omitted", "lackey has no events: 1 omitted (barrier)", "lackey has no instruction counts"}},
		{Din{}, "0 10\n4 10\n", []string{"din has no prefetch: 1 omitted", "din has no events", "din has no instruction counts", "din has no sizes"}},
		{XDin{}, "r 10 8\nc 10 8\n", []string{"xdin has no prefetch: 1 omitted", "xdin has no events", "xdin has no instruction counts"}},
		{csv.CSV{}, "time,tid,op,addr,size\n5,0,R,0x10,8\n6,0,P,0x10,8\n7,0,F,0x10,8\n", []string{"csv has no events: 1 omitted"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			var b bytes.Buffer
			notes, err := c.ex.Export(m, format.ExportOptions{Procs: []trace.Proc{0}}, &b)
			if err != nil || b.String() != c.text || len(notes) != len(c.notes) {
				t.Errorf("%s: %q, %q, %v", c.ex.Info().Name, b.String(), notes, err)
				return
			}
			for i, n := range notes {
				if !strings.HasPrefix(n, c.notes[i]) {
					t.Errorf("%s: note %q, want %q", c.ex.Info().Name, n, c.notes[i])
				}
			}
			_, err = c.ex.Export(m, format.ExportOptions{}, &b)
			if (err == nil) != c.ex.Info().Threaded {
				t.Errorf("%s of two processors: %v", c.ex.Info().Name, err)
			}
		})
	}
}

// The samples of Dinero IV's distribution may not be copied.
func TestDineroSamples(t *testing.T) {
	dir := formattest.Shared(t, "din")
	counts := map[string]map[trace.Op]int{
		"mm32.din.zst":         {trace.Ifetch: 188971, trace.Load: 70370 + 8, trace.Store: 6426}, // 8 misc
		"mm32.xdin.zst":        {trace.Ifetch: 188971, trace.Load: 70370 + 8, trace.Store: 6426},
		"mm32.d4bin.zst":       {trace.Ifetch: 188971, trace.Load: 70370 + 8, trace.Store: 6426},
		"tiny_from_lackey.din": {trace.Ifetch: 28, trace.Load: 8, trace.Store: 34},
	}
	traces := map[string]*trace.Memory{}
	for name, want := range counts {
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		im := map[string]format.Importer{"din": Din{}, "xdin": XDin{}, "d4bin": D4Bin{}}[strings.Split(name, ".")[1]]
		m, _, err := formattest.ImportBytes(im, file, format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		traces[name] = m
		got, lines := map[trace.Op]int{}, map[uint64]bool{}
		for _, r := range formattest.Rows(m, 0) {
			got[r.Op]++
			lines[r.Addr/64] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if want := map[bool]int{true: 12, false: 589}[strings.HasPrefix(name, "tiny")]; len(lines) != want {
			t.Errorf("%s: %d lines, want %d", name, len(lines), want)
		}
	}
	formattest.SameTrace(t, "d4bin against xdin", traces["mm32.d4bin.zst"], traces["mm32.xdin.zst"])
	for i := range traces["mm32.xdin.zst"].RefsOf[0].Size {
		traces["mm32.xdin.zst"].RefsOf[0].Size[i] = 4
	}
	formattest.SameTrace(t, "xdin without sizes against din", traces["mm32.xdin.zst"], traces["mm32.din.zst"])
}

// A blank at the end of each line keeps lines out of the fast path.
func FuzzDin(f *testing.F) {
	f.Add([]byte("0 1000\n1 0x20 comment\r\n2 30\n3 ffffffffffffffff\n4\t1\n5 1234567890123456\n2 00000000000000001\n"), false, true)
	f.Add([]byte("r 1000 4\nw 0x20 8 comment\r\ni 30 4\nM 30 0X4\nC ffffffffffffffff 1\nv 1 10000\nv 1 0\nR  1 1\n"), true, false)
	f.Add([]byte("I 0 1"), true, true) // nothing is left
	f.Fuzz(func(t *testing.T, text []byte, sizes, dropIfetch bool) {
		var im format.Importer = Din{}
		if sizes {
			im = XDin{}
		}
		// The last lines would be too close to the end for the fast path.
		text = append(bytes.TrimSuffix(text, input.Newline), "\n"+strings.Repeat(map[bool]string{false: "2 1\n", true: "i 1 1\n"}[sizes], dinWindow)...)
		o := format.Options{DropIfetch: dropIfetch}
		m, r, err := formattest.ImportBytes(im, text, o)
		formattest.CheckImported(t, m, err)
		slow, rs, errs := formattest.ImportBytes(im, bytes.ReplaceAll(text, input.Newline, []byte(" \n")), o)
		if fmt.Sprint(err) != fmt.Sprint(errs) {
			t.Fatalf("fast: %v; slow: %v", err, errs)
		}
		if err != nil {
			return
		}
		formattest.SameTrace(t, "slow", slow, m)
		if r.Lines != rs.Lines {
			t.Fatalf("%d lines, the slow path has %d", r.Lines, rs.Lines)
		}
		if first := formattest.Rows(m, 0); sizes && len(first) > 0 && first[0].Op == trace.Ifetch {
			formattest.CheckRoundTrip(t, im.(XDin), m)
		}
	})
}

func BenchmarkImportDin(b *testing.B) {
	formattest.BenchmarkImport(b, Din{}, []byte(formattest.DinOf(formattest.Sample(b, "gzip.log.zst"), false)))
}

func BenchmarkImportXDin(b *testing.B) {
	formattest.BenchmarkImport(b, XDin{}, []byte(formattest.DinOf(formattest.Sample(b, "gzip.log.zst"), true)))
}
