package format

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

func open(t *testing.T, text string) *Input {
	t.Helper()
	in, err := Open(context.Background(), "-", strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	return in
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		text, name string
		guess      bool
	}{
		{sample(t, "tiny.log"), "lackey", false},
		{sample(t, "tiny_q.log"), "lackey", false},
		{sample(t, "tiny_ts.log"), "lackey", false},
		{sample(t, "tiny_sb.log"), "lackey", false},
		{"\xef\xbb\xbfI  00401000,3\n", "lackey", false},
		{"hello\n S 00401000,3\n", "lackey", false},
		{"==1== Memcheck, a memory error detector\n", "lackey", true},
		{csvOfTiny(t), "csv", false},
		{strings.ReplaceAll(csvOfTiny(t), ",", "\t"), "csv", false},
		{"vaddr\n64\n", "csv", false},
		{"tid,op\n1,R\n", "csv", false}, // the importer says what is missing
		{"1,0,R,16,8\n", "csv", true},
		{dinOfTiny(t, false), "din", true},
		{dinOfTiny(t, true), "xdin", true},
		{"0 1000\n\n1 2000\n", "din", true},
		{"2 0", "din", true},
		{prvTwo, "paraver", false},
		{"new format\r\n" + prvTwo, "paraver", false},
		{champsimOf(64, fewInstructions...), "champsim", true},
		{goalExample, "goal", false},
		{"num_ranks 2", "goal", false},
		{"rank 0 {\ncalc 5\n}\n", "goal", true},
		{"/* num_ranks 1\nrank 0 {\n}\n", "goal", true},
		{string(smallGoalFile()), "goal", false},
		{string(new(drFile).begin(100, 0x40).end(100).bytes), "drmemtrace", false},
		{string((&drFile{narrow: true}).begin(100, 0x20).end(100).bytes), "drmemtrace", false},
		{string(new(drFile).add(drHeader, 0, 1).add(drThread, 4, 9).bytes), "drmemtrace", false},
		{string(new(drFile).add(drHeader, 0, 1).add(drFooter, 0, 0).bytes), "drmemtrace", true},
	} {
		im, note, err := Detect(open(t, c.text))
		if err != nil {
			t.Errorf("%.40q: %v", c.text, err)
		} else if im.Name() != c.name || (note != "") != c.guess {
			t.Errorf("%.40q: %s, note %q; want %s, a guess: %v", c.text, im.Name(), note, c.name, c.guess)
		} else if c.guess && !(strings.Contains(note, c.name+", a guess: ") && strings.Contains(note, "--from")) {
			t.Errorf("%.40q: the note %q does not say what was guessed", c.text, note)
		}
	}
}

func TestUndetectableListsTheFormats(t *testing.T) {
	for _, text := range []string{"hello", "\x00\x01\x02\x03\x04\x05\x06\x07", "0\n", "a b c\n", "1,2,3\n", "SIFX\x00"} {
		_, _, err := Detect(open(t, text))
		wantError(t, text, err, "standard input: not recognised", "choose one of lackey, din, xdin, d4bin, csv")
	}
	in := open(t, "hello")
	in.Name = "hello.zst"
	_, _, err := Detect(in)
	wantError(t, "hello.zst", err, "hello.zst: not recognised", "the name says zstd, but offset 0 has not its magic")
	_, _, err = Detect(open(t, ""))
	wantError(t, "empty", err, "standard input:1: ", "empty")
	_, _, err = Detect(open(t, "\xff\xfeI\x00"))
	wantError(t, "UTF-16", err, "standard input:1: ", "UTF-16")
}

// Every type of the package that is a format is in the list, under its own name.
func TestAllFormatsAreListed(t *testing.T) {
	var seen []string
	for _, f := range All {
		if slices.Contains(seen, f.Name()) {
			t.Errorf("two formats are called %s", f.Name())
		}
		seen = append(seen, f.Name())
		if f.Description() == "" || f.Magic() == "" {
			t.Errorf("%s does not describe itself", f.Name())
		}
		got, err := ByName(f.Name())
		if err != nil || reflect.TypeOf(got) != reflect.TypeOf(f) {
			t.Errorf("ByName(%q) is %v, %v", f.Name(), got, err)
		}
		if _, ok := f.(Importer); ok {
			if _, err := ImporterByName(f.Name()); err != nil {
				t.Error(err)
			}
		}
		if _, ok := f.(Exporter); ok {
			if _, err := ExporterByName(f.Name()); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := ByName("frob"); err == nil || !strings.Contains(err.Error(), strings.Join(seen, ", ")) {
		t.Errorf("an unknown format: %v", err)
	}
}

func TestParseModify(t *testing.T) {
	for s, want := range map[string]Modify{"split": ModifySplit, "load": ModifyLoad, "store": ModifyStore} {
		if got, err := ParseModify(s); got != want || err != nil {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	if _, err := ParseModify("keep"); err == nil || !strings.Contains(err.Error(), "no modify") {
		t.Errorf("keep: %v", err)
	}
	if _, err := ParseModify("frob"); err == nil {
		t.Error("frob is accepted")
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"":                       `""`,
		"a\tb\x00c":              `"a.b.c"`,
		"\xff\xfe":               `".."`,
		"é":                      `"é"`,
		strings.Repeat("x", 60):  `"` + strings.Repeat("x", 60) + `"`,
		strings.Repeat("é", 100): `"` + strings.Repeat("é", 60) + `"...`,
	} {
		if got := quote([]byte(in)); got != want {
			t.Errorf("%q is quoted as %s, want %s", in, got, want)
		}
	}
}

// Any bytes at all are a trace or one line of error.
func FuzzImport(f *testing.F) {
	f.Add([]byte(sample(f, "tiny.log")), true)
	f.Add([]byte("1,0,R,16,8\n"), true)
	f.Add([]byte("0 1000\n"), true)
	f.Add([]byte{1, 0, 0, 0, 4, 0, 2, 0}, false)
	for _, compress := range compressors {
		f.Add(compress(tinyText), true)
	}
	f.Fuzz(func(t *testing.T, file []byte, detect bool) {
		in, err := Open(context.Background(), "-", bytes.NewReader(file), nil)
		var im Importer = D4Bin{}
		if err == nil && detect {
			im, _, err = Detect(in)
		}
		if err == nil {
			sink := new(memorySink)
			var r Result
			r, err = im.Import(in, Options{DropIfetch: len(file)%2 == 0}, sink)
			sink.Head = trace.Header{Procs: r.Procs, WorkUnit: trace.WorkInstr}
			if err == nil {
				if err := trace.Check(&sink.Memory); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err != nil && (strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 600) {
			t.Errorf("%q", err)
		}
	})
}
