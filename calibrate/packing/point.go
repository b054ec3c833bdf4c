package packing

import (
	"spoor/analyze/marshal"
	"spoor/traces/unit"
)

// Experiment is the kind of operation that was timed.
type Experiment string

// Experiments that have models here.
const (
	Transfer Experiment = "transfer" // a block is packed, sent, received and unpacked, once
	Scan     Experiment = "scan"     // a parallel prefix operation over blocks
	Array    Experiment = "array"    // a statement over whole arrays, A = x or A = x op y
)

// Set is the use of a point: training or test.
type Set string

// Point has the conditions of a measurement, without its result.
type Point struct {
	Experiment   Experiment
	Rows, Cols   int64 // 0: no layout
	Item, Stride unit.Bytes
	Base         uint64
	Blocks       int64
	Bytes        unit.Bytes
	Accesses     int64
	Ops          int64
	Count        int64
	Delay        unit.Seconds
	Set          Set
}

// Layout returns the memory layout of one block.
func (p *Point) Layout() marshal.Layout {
	return marshal.Layout{Addr: p.Base, Count: p.Rows, Block: p.Cols * int64(p.Item), Stride: int64(p.Stride)}
}
