package strict

import (
	"strings"
	"testing"
)

type shape struct {
	Name   string `toml:"name"`
	Memory struct {
		Size string `toml:"size"`
	} `toml:"memory"`
	Cache []struct {
		Line int `toml:"line"`
	} `toml:"cache"`
}

func TestErrorsNameFileLineAndKey(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f.toml: the document is empty"},
		{"only a comment", "# nothing\n", "f.toml: the document is empty"},
		{"syntax", "name = \"a\"\nsize == 3\n", "f.toml:2: "},
		{"cut string", "name = \"a", "f.toml:1: "},
		{"unknown key", "name = \"a\"\n[memory]\nsise = \"3\"\n", "f.toml:3: unknown key memory.sise; did you mean memory.size?"},
		{"unknown table", "[disk]\nsize = 1\n", "f.toml:1: unknown key disk"},
		{"unknown key in an array", "[[cache]]\nline = 1\n[[cache]]\nways = 1\n", "f.toml:4: unknown key cache.ways"},
		{"twice", "name = \"a\"\nname = \"b\"\n", "f.toml:2: "},
		{"table twice", "[memory]\nsize = \"a\"\n[memory]\n", "f.toml:3: "},
		{"wrong type", "name = \"a\"\n[[cache]]\nline = \"x\"\n", "f.toml:3: cache.line: is of TOML's type string; it must be a whole number"},
		{"wrong type of text", "name = 3\n", "f.toml:1: name: is of TOML's type integer; it must be text in quotes"},
		{"no table", "memory = 3\n", "f.toml:1: memory: is of TOML's type integer; it must be a table"},
		{"one table alone", "[[memory]]\nsize = \"3\"\n", "f.toml:1: memory: there is one of it at most"},
		{"wrong case", "name = \"a\"\n[memory]\nSize = \"3\"\n", "f.toml:3: unknown key memory.Size; did you mean memory.size?"},
		{"wrong case of a table", "name = \"a\"\n[Memory]\nsize = \"3\"\n", "f.toml:2: unknown key Memory; did you mean memory?"},
		{"inline", "name = \"a\"\ncache = [{line = 1},\n {Line = 1}]\n", "f.toml:3: unknown key cache[1].Line; did you mean cache.line?"},
		{"not text", "\x00\xff\xfe", "f.toml:1: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Parse("f.toml", []byte(c.text))
			if err == nil {
				err = d.Decode(new(shape))
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want one line that begins %q", err, c.want)
			}
		})
	}
}

// Tables within the elements of an array are found by their element.
func TestErrorfFindsKeysInElements(t *testing.T) {
	d, err := Parse("f.toml", []byte("[[node]]\n[node.memory]\nsize = 1\n[[node.cache]]\nline = 1\n[[node]]\n[[node.cache]]\nline = 2\n[[node.cache]]\nline = 3\n[node.memory]\nsize = 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"node[0].memory.size":   "f.toml:3: ",
		"node[1].memory.size":   "f.toml:12: ",
		"node[0].cache[0].line": "f.toml:5: ",
		"node[1].cache[0].line": "f.toml:8: ",
		"node[1].cache[1].line": "f.toml:10: ",
		"node[1].disk":          "f.toml:6: ",
	} {
		t.Run(path, func(t *testing.T) {
			if got := d.Errorf(path, "bad").Error(); !strings.HasPrefix(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestErrorfFindsTheNearestKey(t *testing.T) {
	d, err := Parse("f.toml", []byte("name = \"a\"\n\n[[cache]]\nline = 1\n[[cache]]\n  line = 2 # two\n[memory]\nsize = \"3\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"name":          "f.toml:1: name: bad 7",
		"cache[0].line": "f.toml:4: cache[0].line: bad 7",
		"cache[1].line": "f.toml:6: cache[1].line: bad 7",
		"cache[1].ways": "f.toml:5: cache[1].ways: bad 7",
		"cache[1]":      "f.toml:5: cache[1]: bad 7",
		"memory.size":   "f.toml:8: memory.size: bad 7",
		"disk.size":     "f.toml: disk.size: bad 7",
	} {
		t.Run(path, func(t *testing.T) {
			if got := d.Errorf(path, "bad %d", 7).Error(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("name = \"a\"\n[memory]\nsize = \"3\"\n[[cache]]\nline = 1\n"))
	f.Add([]byte("a.b.c = {d = [1, {e = 2}]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse("f.toml", text)
		if err == nil {
			err = d.Decode(new(shape))
		}
		if err != nil && !strings.HasPrefix(err.Error(), "f.toml:") {
			t.Fatalf("the error does not name the file: %v", err)
		}
	})
}

// A byte order mark before a document is skipped; one within it is none.
func TestByteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	d, err := Parse("m.toml", []byte(mark+"a = 1\nb = 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	var into struct {
		A int64 `toml:"a"`
		B int64 `toml:"b"`
	}
	if err := d.Decode(&into); err != nil || into.A != 1 || into.B != 2 || d.lines["b"] != 2 {
		t.Errorf("%+v, %v, lines %v", into, err, d.lines)
	}
	for text, want := range map[string]string{mark: "m.toml: the document is empty", mark + "a = \n": "m.toml:1: ", "a = 1\n" + mark + "b = 2\n": "m.toml:2: "} {
		t.Run(text, func(t *testing.T) {
			if _, err := Parse("m.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}
