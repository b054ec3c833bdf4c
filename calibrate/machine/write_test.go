package machine

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What is written of a machine reads back as it.
func TestTextReadsBack(t *testing.T) {
	files, err := filepath.Glob("../../data/machine/du2000-*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("no machines", err)
	}
	texts := map[string]string{"overlapping": "name = \"o\"\n[processor]\nclock = \"2.4 GHz\"\ncpi = 0.3\noutstanding = 10\nwindow = 224\nahead = 20\nstreams = 16\n" +
		"[[cache]]\nsize = \"32 KiB\"\nline = \"64 B\"\nways = 8\nlatency = \"0 cycles\"\n[memory]\nsize = \"1 GiB\"\nlatency = \"80.1 ns\"\noccupancy = \"1.3 ns\"\ninvalidate = \"0 ns\"\n" +
		"[network]\ninterrupt = \"5 us\"\nbuffer_copy = \"0.2 ns/B\"\nmodel = \"switch\"\nbandwidth = \"10 Gb/s\"\nswitch = \"3 ns\"\n[system]\ntarget = \"cow\"\nprocessors = 1\nnodes = 3\nblock = \"4 KiB\"\n"}
	texts["by size"] = strings.NewReplacer("o\"\n[processor]", "by size\"\n[processor]", "\"switch\"", "\"plogp\"\nL = \"1.7 us\"\no_s = \"333 ps\"\nS = \"64 KiB\"\n"+
		"[[network.size]]\nbytes = \"0 B\"\no_r = \"0.1 us\"\n[[network.size]]\nbytes = \"3 KiB\"\ng = \"0.1234567890123456 us\"",
		"bandwidth = \"10 Gb/s\"\nswitch = \"3 ns\"\n", "").Replace(texts["overlapping"])
	var all []*Machine
	for _, f := range files {
		m, err := Read(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	for name, text := range texts {
		m, err := Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	for _, m := range all {
		again, err := Parse(m.Name, m.Text())
		if err == nil {
			again.Given, m.Given = nil, nil // the text has defaults, too
		}
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("%s: %v\n%s\ngot  %+v\nwant %+v", m.Name, err, m.Text(), again, m)
		}
	}
}
