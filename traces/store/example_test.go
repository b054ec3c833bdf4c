package store_test

import (
	"fmt"
	"os"
	"path/filepath"

	"spoor/traces/store"
	"spoor/traces/trace"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	prefix := filepath.Join(dir, "loop")
	if err := write(prefix); err != nil {
		panic(err)
	}
	t, err := store.Open(prefix)
	if err != nil {
		panic(err)
	}
	defer t.Close()
	fmt.Println(t.Header().Title(), t.Totals(0))
	for b, err := range t.Refs(0) {
		if err != nil {
			panic(err)
		}
		for i := range b.Addr {
			fmt.Println(b.Op[i], b.Addr[i], b.Size[i])
		}
	}
	// Output:
	// loop n=2 {3 2 1}
	// load 4096 8
	// store 4096 8
}

// write writes a trace of two references and a barrier.
func write(prefix string) error {
	h := trace.Header{Program: "loop", Args: []trace.Arg{{Key: "n", Value: "2"}}, Procs: 1}
	w, err := store.Create(prefix, h)
	if err != nil {
		return err
	}
	defer w.Abort()
	var refs trace.Refs
	refs.Append(2, 4096, 8, trace.Load)
	refs.Append(1, 4096, 8, trace.Store)
	if err := w.Refs(&refs); err != nil {
		return err
	}
	barrier := trace.NewEvent(trace.Barrier)
	barrier.Instr, barrier.Refs = 3, 2
	if err := w.Events(&trace.Events{Rows: []trace.Event{barrier}}); err != nil {
		return err
	}
	return w.Close(h)
}
