package filter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"spoor/analyze/cache"
	"spoor/analyze/internal/filter"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// A cache of one line: what hits it is gone, and a line that was stored is written back before the next comes.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	m.RefsOf[0].Append(10, 0, 8, trace.Load)
	m.RefsOf[0].Append(10, 8, 8, trace.Store)
	m.RefsOf[0].Append(10, 72, 8, trace.Load)
	spec, err := cache.Parse("L1d=64B/1/64B")
	if err != nil {
		panic(err)
	}
	prefix := filepath.Join(dir, "beyond")
	if _, err := filter.Write(context.Background(), m, prefix, filter.Options{Spec: spec, WriteBacks: true}); err != nil {
		panic(err)
	}
	out, err := store.Open(prefix)
	if err != nil {
		panic(err)
	}
	defer out.Close()
	for b, err := range out.Refs() {
		if err != nil {
			panic(err)
		}
		for i, addr := range b.Addr {
			fmt.Println("after", b.Instr[i], "instructions:", b.Op[i], addr, b.Size[i])
		}
	}
	// Output:
	// after 10 instructions: load 0 64
	// after 20 instructions: store 0 64
	// after 0 instructions: load 64 64
}
