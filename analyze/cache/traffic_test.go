package cache

import (
	"context"
	"slices"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// What comes from the next level and goes to it, worked by hand. Lines of 64 bytes are A, B, C, D at 0, 64, 128, 192.
func TestTraffic(t *testing.T) {
	const (
		A, B, C = 0, 64, 128
		D       = 192
		load    = trace.Load
		put     = trace.Store
	)
	type ref struct {
		op   trace.Op
		addr uint64
		size uint16
	}
	for _, row := range []struct {
		name, caches  string
		refs          []ref
		read, written []int64 // by level
	}{
		{"A leaves dirty, B clean", "L1=64B/1/64B",
			[]ref{{put, A, 8}, {load, B, 8}, {load, C, 8}}, []int64{3 * 64}, []int64{64}},
		{"what is dirty at the end stays", "L1=64B/1/64B",
			[]ref{{put, A, 8}}, []int64{64}, []int64{0}},
		{"the second level has A, so that memory gets nothing", "L1=64B/1/64B,L2=256B/4/64B",
			[]ref{{put, A, 8}, {load, B, 8}}, []int64{128, 128}, []int64{64, 0}},
		{"A has left the second level before the first: one line goes through", "L1=128B/full/64B,L2=64B/1/64B",
			[]ref{{put, A, 8}, {load, B, 8}, {load, C, 8}}, []int64{192, 192}, []int64{64, 64}},
		{"half of a line of the second level goes through", "L1=64B/full/32B,L2=64B/1/64B",
			[]ref{{put, A, 8}, {load, B, 8}, {load, C, 8}}, []int64{96, 192}, []int64{32, 32}},
		{"of opt, too", "L1=64B/full/32B,L2=64B/1/64B/opt",
			[]ref{{put, A, 8}, {load, B, 8}, {load, C, 8}}, []int64{96, 192}, []int64{32, 32}},
		{"stores are passed on as they are, the second one crosses into B", "L1=256B/full/64B/write-through",
			[]ref{{put, A, 8}, {put, A + 60, 6}}, []int64{128}, []int64{14}},
		{"a store that misses brings no line, one that hits stays", "L1=64B/1/64B/no-allocate",
			[]ref{{put, A, 8}, {load, A, 8}, {put, A, 4}}, []int64{64}, []int64{8}},
		{"two levels of that pass on the same bytes", "L1=64B/1/64B/no-allocate/write-through,L2=256B/4/64B/no-allocate",
			[]ref{{put, A, 8}, {load, A, 8}, {put, A, 4}}, []int64{64, 64}, []int64{12, 8}},
		{"an exclusive level gets clean lines, too, and gives A back dirty", "L1=64B/1/64B,L2=64B/1/64B/exclusive",
			[]ref{{put, A, 8}, {load, B, 8}, {load, A, 8}, {load, C, 8}, {load, D, 8}}, []int64{320, 256}, []int64{256, 64}},
		{"an inclusive level takes A away", "L1=128B/full/64B,L2=64B/1/64B/inclusive",
			[]ref{{put, A, 8}, {load, B, 8}}, []int64{128, 128}, []int64{64, 64}},
		{"entries of a TLB move no lines", "tlb=1/1/4KiB",
			[]ref{{put, A, 8}, {load, 8192, 8}}, []int64{-1}, []int64{-1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
			for _, r := range row.refs {
				m.RefsOf[0].Append(1, r.addr, r.size, r.op)
			}
			results, err := analysis.Run(context.Background(), m, analysis.Options{}, &Analysis{Specs: parse(t, row.caches)})
			if err != nil {
				t.Fatal(err)
			}
			read, _ := store.Data[int64](results[0].Full, "bytes_read")
			written, _ := store.Data[int64](results[0].Full, "bytes_written")
			if !slices.Equal(read, row.read) || !slices.Equal(written, row.written) {
				t.Errorf("read %d, written %d, want %d and %d", read, written, row.read, row.written)
			}
		})
	}
}
