package recorder

import (
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// TestRegionsAndSamples records parts of a program of three threads. Each stores 1000 words three times. Between the parts are
// barriers; one thread calls middle after the first part, and another calls last after the second.
func TestRegionsAndSamples(t *testing.T) {
	program := built(t, "region.c")
	for _, c := range []struct {
		what     string
		from, to string
		sample   Sample
		least    int // stores of a thread to its words
		most     int
		note     string
	}{
		{"all", "", "", Sample{}, 3000, 3000, ""},
		{"from", "middle", "", Sample{}, 2000, 2000, "4 events lie before or after"},
		{"to", "", "last", Sample{}, 2000, 2000, "4 events lie before or after"},
		{"both", "middle", "last", Sample{}, 1000, 1000, "8 events lie before or after"},
		{"never", "", "unused", Sample{}, 3000, 3000, "the program did not call unused"},
		{"skip", "", "", Sample{Skip: 3600}, 2000, 2600, "those after the first 3600 instructions"},
		{"window", "", "", Sample{Skip: 600, Window: 1200}, 150, 300, "the references of 1200 instructions, those after the first 600"},
		{"windows", "", "", Sample{Window: 100, Every: 1000}, 280, 320, "a sample: the references of the first 100 of every 1000 instructions, of each thread"},
		{"most", "", "", Sample{Most: 900}, 880, 900, "at most 900 references, of each thread"},
		{"none left out", "", "", Sample{Most: 1e6}, 3000, 3000, "all references were recorded"},
	} {
		k, rec, _ := record(t, Options{Args: []string{program}, From: c.from, To: c.to, Sample: c.sample})
		sound(t, k, rec)
		for p := trace.Proc(1); p <= 3; p++ {
			if n := stores(k.refs[p]); n < c.least || n > c.most {
				t.Errorf("%s: processor %d has %d stores, not %d to %d", c.what, p, n, c.least, c.most)
			}
		}
		if notes := strings.Join(rec.Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s: notes %q", c.what, notes)
		}
		if n := len(k.events[1]); n != 5 { // four barriers and the end
			t.Errorf("%s: %d events", c.what, n)
		}
	}
}

// stores counts the stores of the program's loops: those of four bytes by instructions that execute often.
func stores(b *trace.Refs) int {
	of := map[uint64]int{}
	for i, op := range b.Op {
		if op == trace.Store && b.Size[i] == 4 {
			of[b.PC[i]]++
		}
	}
	all := 0
	for _, n := range of {
		if n >= 20 {
			all += n
		}
	}
	return all
}

// TestSampleKeepsCounts: a sample has the instructions and events of the whole.
func TestSampleKeepsCounts(t *testing.T) {
	program := built(t, "region.c")
	whole, _, _ := record(t, Options{Args: []string{program}})
	part, _, _ := record(t, Options{Args: []string{program}, Sample: Sample{Window: 50, Every: 1000}})
	for p := trace.Proc(1); p <= 3; p++ {
		same := func(a, b trace.Event) bool { return a.Instr == b.Instr && a.Kind == b.Kind }
		if !slices.EqualFunc(whole.events[p], part.events[p], same) {
			t.Errorf("processor %d: events %v of the whole and %v of the sample", p, whole.events[p], part.events[p])
		}
	}
}
