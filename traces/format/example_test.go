package format_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"spoor/traces/format"
	"spoor/traces/trace"
)

// collect is a Sink that keeps what it gets, of one processor.
type collect struct{ trace.Memory }

func (c *collect) Refs(b *trace.Refs) error {
	c.RefsOf = append(c.RefsOf, trace.Refs{})
	for i := range b.Addr {
		c.RefsOf[0].Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	return nil
}

func (c *collect) Events(*trace.Events) error { return nil }

// A trace is recognised, read, and written in another format.
func Example() {
	text := strings.NewReader("I  00401000,4\n M 00402008,8\n")
	in, err := format.Open(context.Background(), "-", text, nil)
	if err != nil {
		panic(err)
	}
	defer in.Close()
	im, _, err := format.Detect(in)
	if err != nil {
		panic(err)
	}
	var c collect
	r, err := im.Import(in, format.Options{}, &c)
	if err != nil {
		panic(err)
	}
	fmt.Println(im.Info().Name, r.Lines)
	c.Head.Procs = r.Procs
	csv, err := format.ExporterByName("csv")
	if err != nil {
		panic(err)
	}
	if _, err := csv.Export(&c.Memory, format.ExportOptions{}, os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// lackey 2
	// time,tid,op,addr,size
	// 1,0,I,0x401000,4
	// 1,0,R,0x402008,8
	// 1,0,W,0x402008,8
}
