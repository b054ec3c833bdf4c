package store

import (
	"bytes"
	"runtime/debug"
	"testing"

	"spoor/traces/trace"
)

// FuzzReadersRefuseOrYieldLegalRows feeds changed files to everything that reads:
// to the checksums, and, with the checksums made right again, to what lies
// behind them.
func FuzzReadersRefuseOrYieldLegalRows(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.bytes, false)
		f.Add(s.bytes, true)
		f.Add(s.bytes[:len(s.bytes)/2], false)
		f.Add(s.bytes[8:], false)
	}
	f.Add([]byte{}, false)
	debug.SetMemoryLimit(1 << 30)
	f.Fuzz(func(t *testing.T, b []byte, right bool) {
		if right {
			b = bytes.Clone(b)
			reseal(b)
			resealFooter(b)
		}
		if tr, err := openBytes("x", b); err == nil {
			legal(t, tr)
		}
		if table, err := tableBytes("x", b); err == nil {
			if _, err := tableSchema(table); err != nil {
				t.Fatalf("a table that was read cannot be written: %v", err)
			}
		}
		done, saved, err := salvageBytes("x", b)
		if err != nil {
			return
		}
		tr, err := openBytes("saved", saved)
		if err != nil {
			t.Fatalf("recovered %+v, but: %v", done, err)
		}
		legal(t, tr)
		if _, err := load(tr); err != nil {
			t.Fatalf("recovered %+v, but: %v", done, err)
		}
	})
}

// legal fails if tr yields rows that break an invariant.
func legal(t *testing.T, tr *Trace) {
	t.Helper()
	for b, err := range tr.Refs() {
		if err != nil {
			return
		}
		if err := trace.CheckRefs(tr.Header(), b); err != nil {
			t.Fatalf("illegal references were yielded: %v", err)
		}
	}
	last := map[trace.Proc]uint64{}
	for b, err := range tr.Events() {
		if err != nil {
			return
		}
		if err := trace.CheckEvents(tr.Header(), b, last[b.Proc], tr.refsOf(b.Proc)); err != nil {
			t.Fatalf("illegal events were yielded: %v", err)
		}
		last[b.Proc] = b.Rows[b.Len()-1].Refs
	}
}
