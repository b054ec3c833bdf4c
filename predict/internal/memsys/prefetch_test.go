package memsys

import (
	"fmt"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/layer"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// TestAheadWorked follows touches by hand: memory takes 100 ps and holds the bus for 60, and two lines of a stream are
// fetched ahead, in pages of eight.
func TestAheadWorked(t *testing.T) {
	c := two
	c.Caches = []Cache{{Size: 1 << 12, Line: 64, Ways: 2}}
	s := layer.WithPrefetch(mustSMP(t, c), layer.Prefetch{Lines: 2, Streams: 2, Page: 512}, 2)
	for i, a := range []struct {
		now  unit.Picos
		line uint64
		want touch.Cost
	}{
		{0, 3, cost(100, 0)},     // alone
		{1000, 4, cost(100, 0)},  // a stream: 5 comes at 1160 and 6 at 1220
		{1150, 5, cost(10, 0)},   // waits for it; 7 is asked for when the bus is free, at 1180, and comes at 1280
		{1400, 6, touch.Cost{}},  // is there; 8 would be another page
		{1500, 6, touch.Cost{}},  // again
		{2000, 8, cost(100, 0)},  // alone in its page
		{3000, 28, cost(100, 0)}, // downwards from here
		{4000, 27, cost(100, 0)}, // 26 at 4160, 25 at 4220
		{5000, 25, touch.Cost{}}, // past 26: 24
		{6000, 26, touch.Cost{}}, // which was fetched, and begins no stream
		{7000, 24, touch.Cost{}},
		{8000, 40, cost(100, 0)}, // forgets the stream of 8
		{9000, 9, cost(100, 0)},  // so that this is alone
	} {
		t.Run(fmt.Sprint(a.now), func(t *testing.T) {
			if got := s.Access(a.now, 0, a.line, false); got != a.want {
				t.Errorf("touch %d, of line %d, costs %+v, want %+v", i, a.line, got, a.want)
			}
		})
	}
	if c := s.Counts(0); c.Loads != 13 || c.Misses() != 13 {
		t.Errorf("%d loads and %d misses, want 13 and 13", c.Loads, c.Misses())
	}
}

// TestAheadHits: lines that come are not hits before they have been touched.
func TestAheadHits(t *testing.T) {
	c := two
	c.Caches = []Cache{{Size: 1 << 12, Line: 64, Ways: 2}}
	s := layer.WithPrefetch(mustSMP(t, c), layer.Prefetch{Lines: 2, Streams: 2, Page: 512}, 2)
	s.Access(0, 0, 0, false)
	s.Access(500, 0, 1, false)
	var b trace.Refs
	for _, addr := range []uint64{0, 64, 127, 72} { // 127 to 134 is in lines 1 and 2
		b.Append(1, addr, 8, trace.Load)
	}
	if rows, touches := s.Lookahead(0, &b, 0, 4); rows != 2 || touches != 2 {
		t.Errorf("%d rows with %d touches are hits, want 2 and 2", rows, touches)
	}
	s.Access(2000, 0, 2, false)
	if rows, touches := s.Lookahead(0, &b, 0, 4); rows != 4 || touches != 5 {
		t.Errorf("%d rows with %d touches are hits, want 4 and 5", rows, touches)
	}
}

// TestAheadTargets: what software shares is not fetched ahead.
func TestAheadTargets(t *testing.T) {
	for target, want := range map[string]string{"smp": "", "cow": "does not simulate prefetching", "clump": "does not simulate prefetching"} {
		t.Run(target, func(t *testing.T) {
			text := "name = \"m\"\n[processor]\nclock = \"1 GHz\"\ncpi = 1\nahead = 2\nstreams = 2\n" +
				"[[cache]]\nsize = \"1 KiB\"\nline = \"64 B\"\nways = 2\nlatency = \"0 cycles\"\n[memory]\nsize = \"1 MiB\"\nlatency = \"9 ns\"\noccupancy = \"9 ns\"\ninvalidate = \"9 ns\"\n" +
				"[network]\nmodel = \"bus\"\nbandwidth = \"1 MB/s\"\n[system]\ntarget = \"" + target + "\"\nprocessors = 1\n"
			if target != "smp" {
				text += "nodes = 2\n"
			}
			m, err := machine.Parse("m.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			_, err = New(m, trace.Header{Procs: 1})
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}
