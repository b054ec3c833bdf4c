package memsys

import (
	"testing"

	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// TestMakeIsAccess: hits that are found, and made together, leave behind what they do one by one.
func TestMakeIsAccess(t *testing.T) {
	made := 0
	for _, target := range distributed {
		for seed := range uint64(400) {
			d := randomDecisions(seed, 1200)
			cfg, net := randomNodes(d, target)
			var systems [2]touch.System
			for i := range systems {
				cfg.Net = net()
				sys, err := target.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				systems[i] = sys
			}
			for now := unit.Picos(0); len(d.data) > 0; now += 1000 {
				if p := trace.Proc(d.below(cfg.Processors)); d.below(3) > 0 {
					line, store := uint64(d.below(10)), d.below(2) == 1
					if got, want := systems[0].Access(now, p, line, store), systems[1].Access(now, p, line, store); got != want {
						t.Fatalf("%s, seed %d: after hits an access costs %+v, want %+v", target.Name(), seed, got, want)
					}
				} else {
					made += makeBoth(t, systems, now, p, randomRefs(d, systems[0].Line()))
				}
			}
			for p := range trace.Proc(cfg.Processors) {
				if got, want := systems[0].Counts(p), systems[1].Counts(p); got != want {
					t.Fatalf("%s, seed %d: processor %d\n got %+v\nwant %+v", target.Name(), seed, p, got, want)
				}
			}
		}
	}
	if made < 1000 {
		t.Fatalf("only %d hits", made)
	}
}

// randomRefs is a few references to ten lines, also across their ends and of all kinds.
func randomRefs(d *decisions, line unit.Bytes) *trace.Refs {
	b := &trace.Refs{}
	for range 1 + d.below(9) {
		op := []trace.Op{trace.Load, trace.Load, trace.Store, trace.Prefetch}[d.below(4)]
		b.Append(1, uint64(d.below(10))*uint64(line)+uint64(d.below(2)), uint16(1+d.below(int(line))), op)
	}
	return b
}

// makeBoth lets p make the hits that b begins with on the first system together, and on the second one by one.
func makeBoth(t *testing.T, systems [2]touch.System, now unit.Picos, p trace.Proc, b *trace.Refs) (rows int) {
	t.Helper()
	rows, touches := systems[0].Lookahead(p, b, 0, b.Len())
	refs, ok := systems[0].Commit(p, b, 0)
	for i := range rows {
		if !b.Op[i].Data() {
			continue
		}
		refs--
		line := uint64(systems[1].Line())
		for l := b.Addr[i] / line; l <= (b.Addr[i]+uint64(b.Size[i])-1)/line; l++ {
			touches--
			if cost := systems[1].Access(now, p, l, b.Op[i] == trace.Store); cost != (touch.Cost{}) {
				t.Fatalf("row %d of %d hits costs %+v", i, rows, cost)
			}
		}
	}
	if !ok || refs != 0 || touches != 0 {
		t.Fatalf("made %v, %d references and %d touches too many", ok, refs, int64(touches))
	}
	return rows
}
