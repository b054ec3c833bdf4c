package study

import (
	"fmt"
	"strings"
	"testing"

	"spoor/analyze/registry"
	"spoor/traces/trace"
)

// By hand: reuse takes 28 KiB of each processor, so that 200000 need 5.3 GiB. The same references on few, or many
// references, are no reason to refuse.
func TestManyProcessors(t *testing.T) {
	both := func(procs int) (all []trace.Proc) {
		for p := range trace.Proc(procs) {
			all = append(all, p)
		}
		return append(all, trace.Interleaved)
	}
	for _, c := range []struct {
		run         string
		procs       int
		interleaved bool
		refs        uint64
		refused     string
	}{
		{"reuse,locality", 200_000, true, 200_000, "about 28 KiB, 5.3 GiB"},
		{"reuse,locality", 200_000, false, 200_000, ""},
		{"reuse,locality", 200_000, true, 20_000_000, ""},
		{"reuse,locality", 100_000, true, 100_000, ""},
		{"cache", 100_000, false, 100_000, "about 76 KiB, 7.2 GiB"},
		{"sharing,coherent", 200_000, true, 200_000, "5.9 GiB"},
		{"comm", 1_000_000, true, 1, ""},
	} {
		t.Run(fmt.Sprintf("%v %v", c.refs, c.refused), func(t *testing.T) {
			s := NewSettings()
			if err := s.Flags.Parse([]string{"--run=" + c.run}); err != nil {
				t.Fatal(err)
			}
			orders := both(c.procs)
			if !c.interleaved {
				orders = orders[:c.procs]
			}
			err := s.checkMemory(c.procs, orders, c.refs)
			if (err != nil) != (c.refused != "") || err != nil && !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%+v: %v", c, err)
			}
		})
	}
}

// TestEventsOfFewProcessors: computations that follow each other may be one operation, so that no number of events of a processor is too many.
func TestEventsOfFewProcessors(t *testing.T) {
	for _, k := range registry.All() {
		if k.Memory == nil {
			continue
		}
		if need := k.Memory(1, 1<<40); need > 1<<20 {
			t.Errorf("%s of a processor with 2^40 events needs %d bytes", k.Name, need)
		}
	}
}
