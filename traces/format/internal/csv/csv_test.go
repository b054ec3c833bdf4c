package csv

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// withColumns rewrites canonical text: f gets the five fields of a row.
func withColumns(text, header string, f func(v []string) string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i == 0 {
			b.WriteString(header)
			continue
		}
		b.WriteString(f(strings.Split(line, ",")) + "\n")
	}
	return b.String()
}

func TestDialectsAreOneTrace(t *testing.T) {
	text := formattest.CsvOfTiny(t)
	want, _ := formattest.MustImport(t, CSV{}, text, format.Options{})
	if got := len(formattest.Rows(want, 0)); got != 70 { // 67 records, 3 of which are modifies
		t.Fatalf("%d rows", got)
	}
	for i, r := range formattest.Rows(want, 0) {
		if r.Instr > 1 || r.Instr == 0 && formattest.Rows(want, 0)[i-1].Addr != r.Addr {
			t.Fatalf("row %d: %+v", i, r)
		}
	}
	decimal := func(s string) string {
		v, _ := input.ParseHex([]byte(s[2:]))
		return fmt.Sprint(v)
	}
	words := map[string]string{"I": "IFETCH", "R": "ld", "W": "Store", "M": "rmw"}
	letters := map[string]string{"I": "i", "R": "l", "W": "s", "M": "m"}
	for name, c := range map[string]struct {
		text string
		o    format.Options
	}{
		"carriage returns, mark": {"\xef\xbb\xbf" + strings.ReplaceAll(text, "\n", "\r\n"), format.Options{}},
		"semicolons":             {strings.ReplaceAll(text, ",", ";"), format.Options{}},
		"tabs":                   {strings.ReplaceAll(text, ",", "\t"), format.Options{}},
		"bars":                   {strings.ReplaceAll(text, ",", "|"), format.Options{}},
		"blanks":                 {strings.ReplaceAll(text, ",", " , "), format.Options{}},
		"only blanks":            {strings.ReplaceAll(text, ",", "  "), format.Options{}},
		"l and s":                {withColumns(text, "op addr  size time\n", func(v []string) string { return letters[v[2]] + " " + v[3] + "  " + v[4] + " " + v[0] }), format.Options{}},
		"blank lines":            {strings.ReplaceAll(text, "\n", "\n\n"), format.Options{}},
		"no line end":            {strings.TrimSpace(text), format.Options{}},
		"quotes":                 {strings.ReplaceAll(strings.ReplaceAll(`"`+strings.TrimSpace(text)+`"`, "\n", "\"\n\""), ",", `","`), format.Options{}},
		"no header":              {text[strings.Index(text, "\n")+1:], format.Options{}},
		"decimal":                {withColumns(text, "time,tid,op,addr,size\n", func(v []string) string { return v[0] + ",0," + v[2] + "," + decimal(v[3]) + "," + v[4] }), format.Options{}},
		"hexadecimal":            {strings.ReplaceAll(text, "0x", ""), format.Options{AddrBase: 16}},
		"aliases, words":         {withColumns(text, "BYTES,VAddr,ts,rw\n", func(v []string) string { return v[4] + "," + v[3] + "," + v[0] + "," + words[v[2]] }), format.Options{}},
		"other columns":          {withColumns(text, "a,size,b,addr,op,c\n", func(v []string) string { return `"x,y""z",` + v[4] + ",," + v[3] + "," + v[2] + ",?" }), format.Options{}},
		"--columns":              {withColumns(text, "", func(v []string) string { return v[4] + ",?," + v[3] + "," + v[2] }), format.Options{Columns: []string{"len", "-", "address", "type"}}},
		"--columns and header":   {withColumns(text, "addr,op,size,time\n", func(v []string) string { return v[4] + ",?," + v[3] + "," + v[2] }), format.Options{Columns: []string{"len", "-", "address", "type"}}},
		"time ignored":           {withColumns(text, "time,op,addr,size\n", func(v []string) string { return "7," + v[2] + "," + v[3] + "," + v[4] }), format.Options{TimeIsRows: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := formattest.ImportText(CSV{}, c.text, c.o)
			if err != nil {
				t.Errorf("%v", err)
				return
			}
			formattest.SameTrace(t, name, got, want)
		})
	}
}

// merged is the order of all references by position, ties by processor: what
// readers of several processors see.
func merged(t *testing.T, m *trace.Memory) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := (CSV{}).Export(m, format.ExportOptions{}, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Threads keep the order of the file when they are merged by instructions.
func TestCSVKeepsTheOrderOfTheFile(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		var withTime, without, want strings.Builder
		withTime.WriteString("time,tid,op,addr,size\n")
		without.WriteString("tid,addr,size,op\n")
		want.WriteString("time,tid,op,addr,size\n")
		time, procs := 0, []int{}
		for n := range rng.IntN(50) + 1 {
			tid := 100 + rng.IntN(5)
			p := slices.Index(procs, tid)
			if p < 0 {
				p = len(procs)
				procs = append(procs, tid)
			}
			time += 1 + rng.IntN(3)
			fmt.Fprintf(&withTime, "%d,%d,R,%d,8\n", time, tid, n)
			fmt.Fprintf(&without, "%d,%d,8,R\n", tid, n)
			fmt.Fprintf(&want, "T%d,%d,R,0x%x,8\n", time, p, n)
		}
		timed, _ := formattest.MustImport(t, CSV{}, withTime.String(), format.Options{})
		if got, want := merged(t, timed), strings.ReplaceAll(want.String(), "T", ""); got != want {
			t.Fatalf("merged by time:\n%s\nwant\n%s", got, want)
		}
		rowed, r := formattest.MustImport(t, CSV{}, without.String(), format.Options{})
		for i, line := range strings.Split(strings.TrimSpace(merged(t, rowed)), "\n")[1:] {
			if want := fmt.Sprintf("%d,", i+1); !strings.HasPrefix(line, want) || !strings.Contains(line, fmt.Sprintf(",0x%x,", i)) {
				t.Fatalf("row %d of the merge is %s", i, line)
			}
		}
		if len(procs) > 1 && !slices.ContainsFunc(r.Notes, func(n string) bool {
			return strings.Contains(n, fmt.Sprintf("thread %d is 0, %d is 1", procs[0], procs[1]))
		}) {
			t.Fatalf("notes %q do not name the threads", r.Notes)
		}
	}
}

// randomThreads is a trace of several processors, the first of which has the
// first reference, and so on, with events that carry wide gaps.
func randomThreads(rng *rand.Rand) *trace.Memory {
	var b strings.Builder
	b.WriteString("time,tid,op,addr,size\n")
	n := 1 + rng.IntN(4)
	time := make([]uint64, n)
	for p := range n {
		time[p] = uint64(p)
	}
	for i := range n + rng.IntN(30) {
		p := i
		if i >= n {
			p = rng.IntN(n)
			time[p] += []uint64{0, 1, 9, math.MaxUint32, math.MaxUint32 + 1, 1 << 40}[rng.IntN(6)]
		}
		fmt.Fprintf(&b, "%d,%d,%c,%d,%d\n", time[p], p, "RWIPF"[rng.IntN(5)], rng.Uint64()>>1, 1+rng.IntN(65535))
	}
	m, _, err := formattest.ImportText(CSV{}, b.String(), format.Options{TimeIsExact: true})
	if err != nil {
		panic(err)
	}
	return m
}

func TestCSVRoundTripOfThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range testsize.Cases(300, 60) {
		m := randomThreads(rng)
		formattest.CheckRoundTrip(t, CSV{}, m)
		again, _, _ := formattest.ImportText(CSV{}, merged(t, m), format.Options{TimeIsExact: true})
		if a, b := fmt.Sprint(m.EventsOf), fmt.Sprint(again.EventsOf); a != b {
			t.Fatalf("events %s, want %s", b, a)
		}
	}
}

// A first time that is not near zero is no work of the program.
func TestCSVTimesAreShifted(t *testing.T) {
	head := "time,tid,op,addr,size\n"
	offset := head + "1000001,0,R,0x0,8\n1000002,0,R,0x40,8\n1000003,0,W,0x0,8\n1000004,0,R,0x80,8\n"
	for _, c := range []struct {
		text  string
		o     format.Options
		instr []uint32
	}{
		{offset, format.Options{}, []uint32{1, 1, 1, 1}},
		{offset, format.Options{TimeIsExact: true}, []uint32{1000001, 1, 1, 1}},
		{offset, format.Options{TimeIsRows: true}, []uint32{1, 1, 1, 1}},
		{head + "1000,0,R,0,8\n1001000,0,R,0,8\n", format.Options{}, []uint32{1000, 1000000}},
		{head + "1001,0,R,0,8\n1001001,0,R,0,8\n", format.Options{}, []uint32{1, 1000000}},
		{head + "9223372036854775807,0,R,0,8\n", format.Options{}, []uint32{1}},
	} {
		t.Run(c.text, func(t *testing.T) {
			m, _ := formattest.MustImport(t, CSV{}, c.text, c.o)
			if got := m.RefsOf[0].Instr; !slices.Equal(got, c.instr) {
				t.Errorf("%.60q, %+v: %v, want %v", c.text, c.o, got, c.instr)
			}
		})
	}
	m, _ := formattest.MustImport(t, CSV{}, head+"5000,7,R,0,8\n5003,9,R,0,8\n5004,7,R,0,8\n", format.Options{})
	if got := fmt.Sprint(m.RefsOf[0].Instr, m.RefsOf[1].Instr); got != "[1 4] [4]" {
		t.Errorf("two threads: %s", got)
	}
}

// Columns that only the user can describe: words s and l, and blanks between columns.
func TestCSVOfLoadsAndStores(t *testing.T) {
	m, _ := formattest.MustImport(t, CSV{}, "s 0x1fffff50 1\nl 0x1fffff58 1\nl 0x1fffff50 2\n", format.Options{Columns: []string{"op", "addr", "size"}})
	want := []formattest.Row{{Instr: 1, Addr: 0x1fffff50, Size: 1, Op: trace.Store}, {Instr: 1, Addr: 0x1fffff58, Size: 1, Op: trace.Load}, {Instr: 1, Addr: 0x1fffff50, Size: 2, Op: trace.Load}}
	if got := formattest.Rows(m, 0); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestCSVNotes(t *testing.T) {
	for _, c := range []struct{ text, note string }{
		{"addr\n64\n", "every row counts as one instruction"},
		{"addr\n64\n", "no size column: every reference counts as 1 byte"},
		{"addr\n64\n", "no op column: every reference counts as a load"},
		{"addr,pc,cpi\n64,0,1\n", "ignored columns: pc, cpi"},
		{"addr,opp,tim\n64,0,1\n", "ignored columns: opp (op?), tim (time?)"},
		{"addr,time\n64,1\n", "time is read as instructions executed"},
		{"addr,tid\n64,1\n64,7\n", "thread 1 is 0, 7 is 1"},
		{"addr,tid,time\n64,0,2\n64,1,1\n", "1 row out of order (by time, then processor)"},
		{"addr,tid,time\n64,0,2\n64,1,2\n64,0,2\n", "1 row out of order (by time, then processor)"},
		{"1,0,R,64,8\n", "no header: the columns are read as"},
		{"addr,time\n64,1001\n", "time begins at 1001: 1000 is subtracted from all times; --csv-time=exact keeps them"},
		{"addr\n\n64\n", "1 blank line skipped"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.text, c.note), func(t *testing.T) {
			_, r := formattest.MustImport(t, CSV{}, c.text, format.Options{})
			if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, c.note) }) {
				t.Errorf("%q: notes %q, want %q", c.text, r.Notes, c.note)
			}
		})
	}
	if _, r := formattest.MustImport(t, CSV{}, "addr,tid\n64,0\n64,1\n", format.Options{}); strings.Contains(strings.Join(r.Notes, ""), "thread 0") {
		t.Errorf("threads 0 and 1 are processors 0 and 1, but: %q", r.Notes)
	}
}

func TestBadCSV(t *testing.T) {
	const head = "time,tid,op,addr,size\n1,0,R,16,8\n"
	for _, c := range []struct {
		text   string
		o      format.Options
		line   int
		reason string
	}{
		{"", format.Options{}, 1, "empty"},
		{"time,tid,op,addr,size\n", format.Options{}, 1, "no rows"},
		{"time,tid,op,addr,size\n1,0,R,0x10\n", format.Options{}, 2, "4 fields, the header has 5"},
		{head + "1,0,R,0x10,8,9\n", format.Options{}, 3, "6 fields, the header has 5"},
		{"time,tid,op,size\n1,0,R,8\n", format.Options{}, 1, "no addr column"},
		{"addr,op,address\n", format.Options{}, 1, "column 3 is a second addr column"},
		{"1,0,R\n", format.Options{}, 1, "no header"},
		{head + "1,-3,R,16,8\n", format.Options{}, 3, `column tid: "-3" is a negative number`},
		{head + "1,x,R,16,8\n", format.Options{}, 3, "column tid"},
		{head + "1.5,0,R,16,8\n", format.Options{}, 3, "not a whole number"},
		{head + "NaN,0,R,16,8\n", format.Options{}, 3, "not a decimal number"},
		{head + ",0,R,16,8\n", format.Options{}, 3, "no number"},
		{head + "2,0,X,16,8\n", format.Options{}, 3, "no operation"},
		{head + "2,0,,16,8\n", format.Options{}, 3, "no operation"},
		{head + "2,0,R,1a,8\n", format.Options{}, 3, "--addr-base=16"},
		{head + "2,0,R,zz,8\n", format.Options{}, 3, "column addr"},
		{head + "2,0,R,0x,8\n", format.Options{}, 3, "column addr"},
		{head + "2,0,R,-1,8\n", format.Options{}, 3, "negative"},
		{head + "2,0,R,18446744073709551616,8\n", format.Options{}, 3, "over 64 bits"},
		{head + "2,0,R,0x10000000000000000,8\n", format.Options{}, 3, "over 64 bits"},
		{head + "2,0,R,0xfffffffffffffffc,8\n", format.Options{}, 3, "wraps around"},
		{head + "2,0,R,16,0\n", format.Options{}, 3, "0 bytes"},
		{head + "2,0,R,16,65536\n", format.Options{}, 3, "over the limit"},
		{head + "0,0,R,16,8\n", format.Options{}, 3, "time goes backwards"},
		{head + "9223372036854775808,0,R,16,8\n", format.Options{}, 3, "over 2^63-1"},
		{head + "9223372036854775808,0,R,16,8\n", format.Options{TimeIsExact: true}, 3, "over 2^63-1"},
		{head + "1000002,0,R,16,8\n", format.Options{}, 3, "1000002 after 1 in thread 0 is over 1000000 instructions for one reference"},
		{head + "1000002,1,R,16,8\n", format.Options{}, 3, "1000002 after 0 in thread 1 is over 1000000 instructions for one reference"},
		{"time,tid,addr\n5000,0,16\n4998,1,16\n", format.Options{}, 3, "4998 is before the time of the first row, 5000"},
		{"time,tid,addr\n5000,0,16\n4998,0,16\n", format.Options{}, 3, "4998 is before the time of the first row, 5000"},
		{"time,tid,addr\n5000,0,16\n5001,0,16\n5000,0,16\n", format.Options{}, 4, "5000 after 5001 in thread 0: time goes backwards"},
		{"addr time\n16 1 2\n", format.Options{}, 2, "3 fields, the header has 2"},
		{head + "2,0,R,\"16,8\n", format.Options{}, 3, "unterminated quote"},
		{head + "2,0,R,\"16\"x,8\n", format.Options{}, 3, "quote"},
		{"\"time,addr\n", format.Options{}, 1, "quote"},
		{head + "2,0,R,\x00\x0016,8\n", format.Options{}, 3, "2 NUL bytes"},
		{head + "\x00\x00\x00\n", format.Options{}, 3, "3 NUL bytes"},
		{"\xff\xfet\x00", format.Options{}, 1, "UTF-16"},
		{head + strings.Repeat("1", input.MaxLine+1) + "\n", format.Options{}, 3, "longer than 1 MiB"},
		{"64,1\n", format.Options{Columns: []string{"addr"}}, 1, "2 fields, the columns are 1"},
		{"1,2\n", format.Options{Columns: []string{"time", "op"}}, 1, "no addr column"},
	} {
		_, _, err := formattest.ImportText(CSV{}, c.text, c.o)
		formattest.WantError(t, fmt.Sprintf("%.60q", c.text), err, fmt.Sprintf("standard input:%d: ", c.line), c.reason)
	}
}

func TestParseCSVColumns(t *testing.T) {
	if got, err := ParseCSVColumns("time,-,addr"); err != nil || !slices.Equal(got, []string{"time", "-", "addr"}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, s := range []string{"", "time,frob", "time,,addr"} {
		t.Run(s, func(t *testing.T) {
			if _, err := ParseCSVColumns(s); err == nil {
				t.Errorf("%q is accepted", s)
			}
		})
	}
}

// Many threads and few rows, and threads whose rows fill several batches.
func TestManyThreads(t *testing.T) {
	var b strings.Builder
	b.WriteString("tid,addr\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "%d,%d\n", i, i)
	}
	m, r := formattest.MustImport(t, CSV{}, b.String(), format.Options{})
	if r.Procs != 3000 || len(formattest.Rows(m, 2999)) != 1 || formattest.Rows(m, 2999)[0] != (formattest.Row{Instr: 3000, Addr: 2999, Size: 1, Op: trace.Load}) {
		t.Errorf("%d processors, the last has %v", r.Procs, formattest.Rows(m, 2999))
	}
	b.Reset()
	b.WriteString("tid,addr\n")
	for i := range 3 * emit.StreamRows {
		fmt.Fprintf(&b, "%d,%d\n", i%2, i)
	}
	m, _ = formattest.MustImport(t, CSV{}, b.String(), format.Options{})
	for p := range 2 {
		got := formattest.Rows(m, trace.Proc(p))
		if len(got) != 3*emit.StreamRows/2 {
			t.Fatalf("processor %d has %d rows", p, len(got))
		}
		for i, r := range got {
			if r.Addr != uint64(2*i+p) {
				t.Fatalf("processor %d, row %d is %+v", p, i, r)
			}
		}
	}
}

func TestSharedCSVSamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(formattest.Shared(t, "csv"), "*.csv"))
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := formattest.ImportBytes(CSV{}, file, format.Options{Modify: format.ModifyStore})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		n, size, lines := map[trace.Op]int{}, 0, map[uint64]bool{}
		for p := range m.Head.Procs {
			for _, r := range formattest.Rows(m, trace.Proc(p)) {
				n[r.Op]++
				size += int(r.Size)
				for l := r.Addr / 64; r.Op != trace.Ifetch && l <= (r.Addr+uint64(r.Size)-1)/64; l++ {
					lines[l] = true
				}
			}
		}
		if n[trace.Ifetch] != 28 || n[trace.Load] != 5 || n[trace.Store] != 31+3 || size != 631 || len(lines) != 11 {
			t.Errorf("%s: %v, %d bytes, %d lines", path, n, size, len(lines))
		}
		if want := 1 + strings.Count(path, "two_threads"); m.Head.Procs != want {
			t.Errorf("%s: %d processors", path, m.Head.Procs)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte(formattest.CsvOfTiny(f)))
	f.Add([]byte("addr;op\n0x10;\"R\"\n"))
	f.Add([]byte("1,0,R,16,8\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, _, err := formattest.ImportBytes(CSV{}, text, format.Options{})
		if err != nil {
			return
		}
		if err := trace.Check(m); err != nil {
			t.Fatal(err)
		}
		again, _, err := formattest.ImportText(CSV{}, merged(t, m), format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := merged(t, m), merged(t, again); m.Head.Procs == 1 && a != b {
			t.Fatalf("%q, then %q", a, b)
		}
	})
}

func BenchmarkCSV(b *testing.B) {
	head, rows, _ := strings.Cut(formattest.CsvOfTiny(b), "\n")
	text := head + "\n" + strings.Repeat(rows, 5000)
	formattest.BenchmarkImportWith(b, CSV{}, []byte(text), format.Options{TimeIsRows: true})
}
