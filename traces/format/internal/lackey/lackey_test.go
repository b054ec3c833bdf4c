package lackey

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// facts are the tables of data/sample/README.md: by trace and by column.
func facts(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(formattest.SampleDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, tables, _ := strings.Cut(string(text), "## Facts")
	all := map[string]map[string]string{}
	var header []string
	for line := range strings.Lines(tables) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case len(cells) < 2:
			header = nil
		case header == nil:
			header = cells
		case strings.HasPrefix(cells[0], "-"):
		default:
			if all[cells[0]] == nil {
				all[cells[0]] = map[string]string{}
			}
			for i, c := range cells {
				all[cells[0]][header[i]] = c
			}
		}
	}
	return all
}

// counted is what a trace says of the records it was made from.
type counted struct {
	n, bytes map[string]uint64
	crossing int
	lines    map[bool]map[uint64]bool // of instructions, of data
	first    map[bool]string
	last     map[bool]string
}

// count imports text three times, so that modifies can be told from loads and
// stores: as loads alone, stores alone, and both.
func count(t *testing.T, text string) counted {
	t.Helper()
	c := counted{n: map[string]uint64{}, bytes: map[string]uint64{}, lines: map[bool]map[uint64]bool{true: {}, false: {}},
		first: map[bool]string{}, last: map[bool]string{}}
	n, size := map[format.Modify]map[trace.Op]uint64{}, map[format.Modify]map[trace.Op]uint64{}
	for _, how := range []format.Modify{format.ModifyLoad, format.ModifyStore, format.ModifySplit} {
		m, _ := formattest.MustImport(t, Lackey{}, text, format.Options{Modify: how})
		n[how], size[how] = map[trace.Op]uint64{}, map[trace.Op]uint64{}
		for _, r := range formattest.Rows(m, 0) {
			n[how][r.Op]++
			size[how][r.Op] += uint64(r.Size)
			if how == format.ModifyLoad {
				c.see(r)
			}
		}
	}
	for k, v := range map[string]map[format.Modify]map[trace.Op]uint64{"n": n, "bytes": size} {
		to := c.n
		if k == "bytes" {
			to = c.bytes
		}
		to["I"], to["L"], to["S"] = v[format.ModifyLoad][trace.Ifetch], v[format.ModifyStore][trace.Load], v[format.ModifyLoad][trace.Store]
		to["M"] = v[format.ModifyLoad][trace.Load] - to["L"]
		if v[format.ModifySplit][trace.Load] != to["L"]+to["M"] || v[format.ModifySplit][trace.Store] != to["S"]+to["M"] {
			t.Errorf("%s: split gives %v, but there are %v", k, v[format.ModifySplit], to)
		}
	}
	return c
}

func (c *counted) see(r formattest.Row) {
	ifetch := r.Op == trace.Ifetch
	from, to := r.Addr/64, (r.Addr+uint64(r.Size)-1)/64
	if from != to && !ifetch {
		c.crossing++
	}
	for l := from; l <= to; l++ {
		c.lines[ifetch][l] = true
	}
	text := fmt.Sprintf("%08x,%d", r.Addr, r.Size)
	if c.first[ifetch] == "" {
		c.first[ifetch] = text
	}
	c.last[ifetch] = text
}

// Every number of data/sample/README.md, which awk counted.
func TestSamplesHoldTheirFacts(t *testing.T) {
	all := facts(t)
	logs, err := filepath.Glob(filepath.Join(formattest.SampleDir, "*.log*"))
	if err != nil || len(logs) != len(all) || len(logs) == 0 {
		t.Fatalf("%d samples, facts about %d, %v", len(logs), len(all), err)
	}
	const long = "gzip.log.zst"
	if testing.Short() { // counting 2.7 million lines takes the race detector minutes
		delete(all, long)
	}
	for name, want := range all {
		t.Run(name, func(t *testing.T) {
			text := formattest.Sample(t, name)
			c := count(t, text)
			got := map[string]string{"trace": name, "lines": strconv.Itoa(strings.Count(text, "\n")), "bytes": strconv.Itoa(len(text)),
				"SB":                strconv.Itoa(len(regexp.MustCompile(`(?m)^SB `).FindAllString(text, -1))),
				"crossing accesses": strconv.Itoa(c.crossing), "data lines": strconv.Itoa(len(c.lines[false])), "ifetch lines": strconv.Itoa(len(c.lines[true])),
				"first I": c.first[true], "last I": c.last[true], "first data": c.first[false], "last data": c.last[false]}
			for kind, column := range map[string]string{"I": "bytes of I", "L": "of L", "S": "of S", "M": "of M"} {
				got[kind], got[column] = strconv.FormatUint(c.n[kind], 10), strconv.FormatUint(c.bytes[kind], 10)
			}
			for column, w := range want {
				if strings.HasSuffix(column, "data") { // the facts have the kind, too: S 00402000,8
					w = w[2:]
				}
				if got[column] != w {
					t.Errorf("%s: %s, want %s", column, got[column], w)
				}
			}
			if len(want) != 19 {
				t.Errorf("%d facts, want 19", len(want))
			}
		})
	}
}

// What valgrind prints around the records does not change them.
func TestVariantsOfTinyAreOneTrace(t *testing.T) {
	want, r := formattest.MustImport(t, Lackey{}, formattest.Sample(t, "tiny.log"), format.Options{})
	if r.Program != "./tiny" || !slices.Contains(r.Facts, "traced by Valgrind-3.19.0, tool lackey") || len(r.Notes) != 0 {
		t.Errorf("tiny.log: program %q, facts %q, notes %q", r.Program, r.Facts, r.Notes)
	}
	text := formattest.Sample(t, "tiny.log")
	variants := map[string]string{
		"carriage returns": strings.ReplaceAll(text, "\n", "\r\n"),
		"byte order mark":  "\xef\xbb\xbf" + text,
		"no last line end": strings.TrimSuffix(text, "\n"),
		"blank lines":      strings.ReplaceAll(text, "I  ", "\nI  "),
		"trailing blanks":  strings.ReplaceAll(text, ",8\n", ",8 \t\n"),
		"upper case":       strings.ReplaceAll(text, "1fff", "1FFF"),
		"more digits":      strings.ReplaceAll(text, " 1fff", " 000000001fff"),
		"nested valgrind":  strings.ReplaceAll(text, "==11934==", ">==11934=="),
		"verbose":          "--11934-- reading syms\n" + text,
		"other indent":     strings.ReplaceAll(text, "I  004", " I   004"),
	}
	for _, name := range []string{"tiny_q.log", "tiny_sb.log", "tiny_ts.log", "tiny_nobc.log"} {
		variants[name] = formattest.Sample(t, name)
	}
	for name, text := range variants {
		got, _ := formattest.MustImport(t, Lackey{}, text, format.Options{})
		formattest.SameTrace(t, name, got, want)
	}
}

func TestLackeyNotes(t *testing.T) {
	long := strings.Repeat("I  00401000,4\n", 1000)
	for _, c := range []struct{ name, text, note string }{
		{"killed", formattest.Sample(t, "killed_head300000.log.zst"), "the last line is truncated and omitted"},
		{"killed", formattest.Sample(t, "killed_head300000.log.zst"), "no summary at the end"},
		{"no summary", formattest.Sample(t, "tiny_nobc.log"), ""}, // the exit code is there
		{"superblocks", formattest.Sample(t, "tiny_sb.log"), "superblock entries omitted: 3"},
		{"child", formattest.Sample(t, "fork_12544.log.zst"), "as for a forked child"},
		{"fault", long + died + "==1==   guest instrs:  1,004\n", "the run died of signal 11 (SIGSEGV): valgrind counted 4 instructions at the end without printing them"},
		{"cut summary", "==1== Lackey, an example Valgrind tool\n" + long + "==1==   guest instrs:  1,0", "no summary at the end"},
		{"early data", " L 00402000,8\nI  00401000,4\n", "1 data reference before the first instruction"},
		{"output", long + "-162\n", "1 line of 1001 not lackey's, first at line 1001"},
		{"glued output", long + "sum = 3 L 00402000,8\n", "1 line of these end in a record"},
		{"two processes", "==1== x\n==2== guest instrs: 7\n" + long, "2 processes share the log"},
		{"carriage returns", "I  00401000,4\r\n", "1 line with carriage return"},
		{"no line end", "I  00401000,4", "the last line has no line end"},
		{"markers", "I  00401000,4\n**1** region \"one\"\n", `marker 0 is "region \"one\""`},
	} {
		t.Run(fmt.Sprintf("%v %v", c.name, c.note), func(t *testing.T) {
			_, r := formattest.MustImport(t, Lackey{}, c.text, format.Options{})
			found := slices.ContainsFunc(r.Notes, func(n string) bool { return c.note != "" && strings.Contains(n, c.note) })
			if found != (c.note != "") || c.name == "no summary" && slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "line") }) {
				t.Errorf("%s: notes are %q, want one with %q", c.name, r.Notes, c.note)
			}
		})
	}
}

const died = "==1== Process terminating with default action of signal 11 (SIGSEGV)\n"

func TestBadLackey(t *testing.T) {
	good := strings.Repeat("I  00401000,4\n", 100)
	for _, c := range []struct {
		name, text string
		line       int
		reason     string
	}{
		{"empty", "", 1, "empty"},
		{"banner alone", "==1== Lackey, an example Valgrind tool\n==1== Command: ./x\n", 2, "no records"},
		{"blank", "\n\n", 2, "no records"},
		{"UTF-16", "\xff\xfeI\x00 \x00", 1, "UTF-16 (little endian)"},
		{"UTF-16", "\xfe\xff\x00I\x00 ", 1, "UTF-16 (big endian)"},
		{"no size", "I  00401000\n", 1, `missing ",size"`},
		{"no size but a comma", "I  00401000,\n", 1, `missing ",size"`},
		{"no address", "I  ,3\n", 1, "no hexadecimal number"},
		{"fault before lost lines", good + died + "==1==   guest instrs:  105\n", 102, "counts 105 guest instructions, the trace has 100"},
		{"more lines than counted", good + died + "==1==   guest instrs:  99\n", 102, "counts 99 guest instructions, the trace has 100"},
		{"handled fault", good + "==1==   guest instrs:  101\n", 101, "a program that handles its own faults"},
		{"empty record", good + "I  \n", 101, "no hexadecimal number"},
		{"address", good + " L 0040g000,3\n", 101, "not a hexadecimal number"},
		{"address over 64 bits", good + " L 10000000000000000,3\n", 101, "over 64 bits"},
		{"size of 0", good + " S 00401000,0\n", 101, "0 bytes"},
		{"negative size", good + " S 00401000,-8\n", 101, "negative"},
		{"fraction", good + " S 00401000,1.5\n", 101, "text after the size"},
		{"not a number", good + " S 00401000,NaN\n", 101, "not a decimal number"},
		{"large size", good + " S 00401000,65536\n", 101, "over the limit"},
		{"size over 64 bits", good + " S 00401000,99999999999999999999\n", 101, "over 64 bits"},
		{"wraps around", good + " S fffffffffffffffc,8\n", 101, "wraps around"},
		{"glued", good + "I  00401000,3hello\n", 101, "--log-file"},
		{"NUL bytes", good + strings.Repeat("\x00", 4096) + "\n" + good, 101, "4096 NUL bytes"},
		{"NUL in a record", good + " L 0040\x001000,3\n", 101, "1 NUL byte"},
		{"cut", "I  00401000,3\n S 0040", 2, "the last line is truncated"},
		{"cut at the comma", "I  00401000,3\n S 00401000,", 2, "the last line is truncated"},
		{"long line", good + "I  " + strings.Repeat("0", input.MaxLine), 101, "longer than 1 MiB"},
		{"output above 1 %", good + "hello\n" + good + "hello\nhello\n", 101, "not a lackey record"},
		{"another file", strings.Repeat("hello\n", 100000), 1, "not a lackey record"},
		{"lost lines", "==1== Lackey, an example Valgrind tool\nI  00401000,3\n==1==   guest instrs:  5\n==1== Exit code:       0\n", 3, "counts 5 guest instructions, the trace has 1"},
		{"added lines", good + "==1== guest instrs: 99\n", 101, "counts 99 guest instructions, the trace has 100"},
		{"lost lines of thousands", good + "==1== guest instrs: 1,000\n", 101, "counts 1000"},
	} {
		_, _, err := formattest.ImportText(Lackey{}, c.text, format.Options{})
		formattest.WantError(t, c.name, err, fmt.Sprintf("standard input:%d: ", c.line), c.reason)
	}
}

// Exactly one line in a hundred may be something else.
func TestTolerance(t *testing.T) {
	text := strings.Repeat("I  00401000,4\n", 99) + "hello\n"
	if _, r, err := formattest.ImportText(Lackey{}, text, format.Options{}); err != nil || r.Lines != 100 {
		t.Errorf("1 odd line of 100: %v", err)
	}
	if _, _, err := formattest.ImportText(Lackey{}, text[14:], format.Options{}); err == nil {
		t.Error("1 odd line of 99 is no error")
	}
}

func TestLackeyInstructions(t *testing.T) {
	const text = "I  00401000,4\n L 00402000,8\n S 00402008,4\nI  00401004,4\nI  00401008,4\n M 00402010,2\nI  0040100c,4\n"
	kept, _ := formattest.MustImport(t, Lackey{}, text, format.Options{})
	want := []formattest.Row{{Instr: 1, Addr: 0x401000, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x402000, Size: 8, Op: trace.Load}, {Instr: 0, Addr: 0x402008, Size: 4, Op: trace.Store},
		{Instr: 1, Addr: 0x401004, Size: 4, Op: trace.Ifetch}, {Instr: 1, Addr: 0x401008, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x402010, Size: 2, Op: trace.Load}, {Instr: 0, Addr: 0x402010, Size: 2, Op: trace.Store},
		{Instr: 1, Addr: 0x40100c, Size: 4, Op: trace.Ifetch}}
	if got := formattest.Rows(kept, 0); !slices.Equal(got, want) || len(formattest.Events(kept, 0)) > 0 {
		t.Errorf("kept: %v and %d events, want %v", got, len(formattest.Events(kept, 0)), want)
	}
	dropped, _ := formattest.MustImport(t, Lackey{}, text, format.Options{DropIfetch: true})
	want = []formattest.Row{{Instr: 1, Addr: 0x402000, Size: 8, Op: trace.Load}, {Instr: 0, Addr: 0x402008, Size: 4, Op: trace.Store}, {Instr: 2, Addr: 0x402010, Size: 2, Op: trace.Load}, {Instr: 0, Addr: 0x402010, Size: 2, Op: trace.Store}}
	if got := formattest.Rows(dropped, 0); !slices.Equal(got, want) {
		t.Errorf("dropped: %v, want %v", got, want)
	}
	closing := trace.NewEvent(trace.Compute)
	closing.Instr, closing.Refs = 4, 4 // all four instructions, the last of which no reference has
	if got := formattest.Events(dropped, 0); len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(closing) {
		t.Errorf("dropped: events %v, want %v", got, closing)
	}
}

func TestLackeyAtomics(t *testing.T) {
	// lock incl, xchg; then a load and a modify of other instructions, places, sizes, or not adjacent.
	const text = "I  00401000,4\n L 00402040,4\n M 00402040,4\nI  00401004,4\n L 00402008,8\n M 00402008,8\n" +
		"I  00401008,4\n L 00402000,8\nI  0040100c,4\n M 00402000,8\nI  00401010,4\n L 00402000,8\n M 00402008,8\n" +
		"I  00401014,4\n L 00402000,8\n M 00402000,4\nI  00401018,4\n L 00402000,8\n==1== x\n M 00402000,8\n"
	for _, c := range []struct {
		o             format.Options
		loads, stores int
	}{
		{format.Options{}, 12, 6},
		{format.Options{CollapseAtomics: true}, 10, 6},
		{format.Options{CollapseAtomics: true, Modify: format.ModifyLoad}, 10, 0},
		{format.Options{CollapseAtomics: true, Modify: format.ModifyStore}, 4, 6},
		{format.Options{Modify: format.ModifyStore}, 6, 6},
		{format.Options{Modify: format.ModifyLoad}, 12, 0},
		{format.Options{CollapseAtomics: true, Modify: format.ModifyStore, DropIfetch: true}, 4, 6},
	} {
		t.Run(fmt.Sprint(c.loads), func(t *testing.T) {
			m, r := formattest.MustImport(t, Lackey{}, text, c.o)
			n := map[trace.Op]int{}
			instr := uint64(0)
			for _, r := range formattest.Rows(m, 0) {
				n[r.Op]++
				instr += uint64(r.Instr)
			}
			if n[trace.Load] != c.loads || n[trace.Store] != c.stores || instr != 7 {
				t.Errorf("%+v: %d loads, %d stores, %d instructions, want %d, %d, 7", c.o, n[trace.Load], n[trace.Store], instr, c.loads, c.stores)
			}
			if noted := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "2 loads directly before") }); noted != c.o.CollapseAtomics {
				t.Errorf("%+v: notes %q", c.o, r.Notes)
			}
		})
	}
}

func TestMarkers(t *testing.T) {
	const text = "I  00401000,4\n**7** start\nI  00401000,4\nI  00401000,4\n**7** stop\n**7** start\nI  00401000,4\n"
	for _, drop := range []bool{false, true} {
		m, _ := formattest.MustImport(t, Lackey{}, text, format.Options{DropIfetch: drop})
		var got []string
		for _, e := range formattest.Events(m, 0) {
			got = append(got, fmt.Sprint(e.Kind, e.Instr, e.Refs, e.Tag))
		}
		want := []string{"marker 1 1 0", "marker 2 3 1", "marker 0 3 0"}
		if drop {
			want = []string{"marker 1 0 0", "marker 2 0 1", "marker 0 0 0", "compute 1 0 -1"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("events are %v, want %v", got, want)
		}
	}
}

// naiveLackey is the definition of the format, a line and a regular expression at
// a time. It knows lines that are right and lines that are wrong; skipped says
// which others there are, so that the text can be kept to what it decides.
func naiveLackey(text string) (all []formattest.Row, instrs, wrong, skipped int) {
	record := regexp.MustCompile(`^(I  | L | S | M )([0-9a-fA-F]+),([0-9]+)$`)
	text, _ = strings.CutPrefix(text, "\xef\xbb\xbf")
	for n, line := range strings.SplitAfter(text, "\n") {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		m := record.FindStringSubmatch(strings.TrimRight(line, " \t\r\v\f"))
		if m == nil {
			if strings.Contains(line, "\x00") || len(line) > 2 && slices.Contains([]string{"I  ", " L ", " S ", " M "}, line[:3]) {
				return all, instrs, n + 1, skipped
			}
			skipped++
			continue
		}
		addr, err1 := strconv.ParseUint(m[2], 16, 64)
		size, err2 := strconv.ParseUint(m[3], 10, 16)
		if err1 != nil || err2 != nil || size == 0 || addr+size-1 < addr {
			return all, instrs, n + 1, skipped
		}
		switch m[1][1] {
		case ' ':
			instrs++
			all = append(all, formattest.Row{Instr: 1, Addr: addr, Size: uint16(size), Op: trace.Ifetch})
		case 'L':
			all = append(all, formattest.Row{Instr: 0, Addr: addr, Size: uint16(size), Op: trace.Load})
		case 'S':
			all = append(all, formattest.Row{Instr: 0, Addr: addr, Size: uint16(size), Op: trace.Store})
		case 'M':
			all = append(all, formattest.Row{Instr: 0, Addr: addr, Size: uint16(size), Op: trace.Load}, formattest.Row{Instr: 0, Addr: addr, Size: uint16(size), Op: trace.Store})
		}
	}
	return all, instrs, 0, skipped
}

// checkLackey holds the importer to naiveLackey wherever that decides.
func checkLackey(t *testing.T, text string) {
	t.Helper()
	if len(text) == 0 || input.CheckEncoding("", []byte(text)) != nil || input.DetectContainer([]byte(text)) != nil {
		return
	}
	want, _, wrong, skipped := naiveLackey(text)
	m, r, err := formattest.ImportText(Lackey{}, text, format.Options{})
	var syntax *trace.SyntaxError
	switch {
	case err == nil && wrong > 0 && !(wrong == strings.Count(text, "\n")+1 && !strings.HasSuffix(text, "\n")):
		t.Fatalf("%.200q: no error, but line %d is wrong", text, wrong)
	case err == nil && r.Lines == 0:
		t.Fatalf("%.200q: no lines", text)
	case err != nil && !formattest.ErrorsAs(err, &syntax):
		t.Fatalf("%.200q: %v", text, err)
	case err != nil && wrong == 0 && skipped == 0:
		t.Fatalf("%.200q: %v, but no line is wrong", text, err)
	case err != nil && wrong > 0 && skipped == 0 && syntax.Line != wrong:
		t.Fatalf("%.200q: %v, but line %d is wrong", text, err, wrong)
	case err == nil && wrong == 0 && skipped <= strings.Count(text, "\n==")+strings.Count(text, "\n\n")+1 && !strings.ContainsAny(text, "*>-"):
		if err := trace.Check(m); err != nil {
			t.Fatalf("%.200q: %v", text, err)
		}
	}
	if err == nil && skipped == 0 && wrong == 0 {
		if got := formattest.Rows(m, 0); !slices.Equal(got, want) {
			t.Fatalf("%.200q: rows are %v, want %v", text, got, want)
		}
	}
}

func FuzzLackey(f *testing.F) {
	tiny := formattest.Sample(f, "tiny.log")
	f.Add([]byte(tiny))
	f.Add([]byte(formattest.Sample(f, "tiny_ts.log")))
	for _, s := range []string{"I  00401000,7\n", " L 1,1\n S ffffffffffffffff,1\n", "I  00401000,7\n M 00000010,65535\r\n", " L 12345678901234567,1\n",
		"I  00401000,7\n\n\n", "\xef\xbb\xbfI  00401000,7", "I  00401000,3hello\n", "==1== x\n>>--1-- y\n**1** z\nSB 12\nI  1,1\n", "x L 12345678,1\n"} {
		f.Add([]byte(s + strings.Repeat("I  00401000,7\n", 3)))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkLackey(t, string(text)) })
}

// Random records, some of them wrong, over several blocks.
func TestLackeyIsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range testsize.Cases(30, 6) {
		var b bytes.Buffer
		lines := rng.IntN(40000)
		for range lines {
			fmt.Fprintf(&b, "%s%08x,%d\n", []string{"I  ", " L ", " S ", " M "}[rng.IntN(4)], rng.Uint64()>>(1+rng.IntN(63)), 1+rng.IntN(1<<(1+rng.IntN(16))-1))
		}
		text := b.Bytes()
		if len(text) > 0 && rng.IntN(3) > 0 {
			text[rng.IntN(len(text))] = byte(rng.IntN(256))
		}
		checkLackey(t, string(text))
	}
}

func FuzzLackeyRoundTrip(f *testing.F) {
	f.Add([]byte("I  00401000,7\n L 00402000,8\n S 00402000,8\nI  00401007,4\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, _, err := formattest.ImportBytes(Lackey{}, text, format.Options{})
		if err != nil || len(formattest.Events(m, 0)) > 0 || len(m.RefsOf) == 0 || m.RefsOf[0].Len() == 0 {
			return
		}
		formattest.CheckRoundTrip(t, Lackey{}, m)
	})
}

func BenchmarkImportLackey(b *testing.B) {
	formattest.BenchmarkImport(b, Lackey{}, []byte(formattest.Sample(b, "gzip.log.zst")))
}
