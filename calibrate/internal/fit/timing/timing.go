// Package timing reads tables of measured times: Spoor's own, and those of other tools' benchmarks. The same
// models can then be fitted to times that were measured anywhere.
//
// # Spoor's own tables
//
// A dataset is an Arrow table or a CSV file, with a row for each measurement. In CSV the first line that does not
// begin with # names the columns, with units in brackets:
//
//	# line = 64B
//	experiment,bytes [B],count,delay [us],launch,rep,time [us]
//	pingpong,1,,,0,0,2.31
//
// Schema describes all columns.
//
// # Tables of other tools
//
// Formats are recognized by content; Formats lists them. Each file is a launch. Each reader documents how it
// converts a benchmark's number: for example, latency is half a round trip, and becomes the round trip.
package timing

import (
	"fmt"
	"strings"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// Experiments with messages alone. PRTT(n,d,s) is the time of n sends of s bytes with pauses d between them, and of a message of s
// bytes back, which the other side sends when it has received all n [hoefler2007].
const (
	PingPong  packing.Experiment = "pingpong"  // PRTT(1,0,s)
	Burst     packing.Experiment = "burst"     // PRTT(n,0,s)
	Delayed   packing.Experiment = "delayed"   // PRTT(n,d,s)
	Send      packing.Experiment = "send"      // a send, until the sender continues
	Receive   packing.Experiment = "receive"   // a receive of a message that has already arrived
	Held      packing.Experiment = "held"      // a send to a receiver that starts to receive a delay later
	Gap       packing.Experiment = "gap"       // from one message to the next in an endless stream
	Exchange  packing.Experiment = "exchange"  // both sides send a message, and receive the other's
	AllReduce packing.Experiment = "allreduce" // a reduction whose result all have
)

// Experiments lists all experiments.
var Experiments = []packing.Experiment{packing.Transfer, packing.Scan, packing.Array, PingPong, Burst, Delayed, Send, Receive, Held, Gap, Exchange, AllReduce}

// Sets.
const (
	Both  packing.Set = "" // the table does not say
	Train packing.Set = "train"
	Test  packing.Set = "test"
)

// Waited reports whether a held send waited for its receiver: it took more than half the delay.
func Waited(t, delay unit.Seconds) bool { return t > delay/2 }

// Timing is one measurement.
type Timing struct {
	packing.Point
	Launch, Rep int
	State       string
	Sentinel    unit.Seconds // 0 if there was none
	Time        unit.Seconds
	file, line  int // position in the input
}

// Data is the dataset of one or more files.
type Data struct {
	Timings []Timing
	// Sources are the files, with format and digest.
	Sources []string
	// Line and Page are the sizes of memory lines and pages; 0 if no file has them.
	Line, Page unit.Bytes
	// Minimum selects the least of the repetitions of a launch, instead of the median.
	Minimum bool
	// Take selects the time of a point from its launches; empty: the mean.
	Take     fit.Take
	Warnings []error
	paths    []string
}

// Source returns all sources as one text, for parameters.
func (d *Data) Source() string { return strings.Join(d.Sources, "; ") }

// place returns the file and line of t.
func (d *Data) place(t *Timing) string { return fmt.Sprintf("%s:%d", d.paths[t.file], t.line) }

// Bounds that catch typing errors.
const (
	minTime  = unit.Seconds(fit.ShortestTime)
	maxTime  = unit.Seconds(1e6)
	maxCount = int64(1) << 40
)

// check returns an error if t is not valid.
func (t *Timing) check() error {
	switch {
	case !(t.Time > 0):
		return fmt.Errorf("time: %v s is not above zero", float64(t.Time))
	case t.Time > maxTime || t.Delay > maxTime || t.Sentinel > maxTime:
		return fmt.Errorf("the time is above %v; correct the number or its unit", maxTime)
	case t.Time < minTime || 0 < t.Delay && t.Delay < minTime || 0 < t.Sentinel && t.Sentinel < minTime:
		return fmt.Errorf("the time is below a femtosecond; correct the number or its unit, or remove the line")
	case t.Delay < 0 || t.Sentinel < 0:
		return fmt.Errorf("delay or sentinel is negative")
	case t.Set != Both && t.Set != Train && t.Set != Test:
		return fmt.Errorf("set: %q is neither %s nor %s", t.Set, Train, Test)
	}
	for _, n := range []struct {
		name string
		of   int64
	}{{"rows", t.Rows}, {"cols", t.Cols}, {"item", int64(t.Item)}, {"stride", int64(t.Stride)}, {"blocks", t.Blocks}, {"bytes", int64(t.Bytes)},
		{"accesses", t.Accesses}, {"ops", t.Ops}, {"count", t.Count}, {"launch", int64(t.Launch)}, {"rep", int64(t.Rep)}} {
		if n.of < 0 || n.of > maxCount {
			return fmt.Errorf("%s: %d is not from 0 to 2^40", n.name, n.of)
		}
	}
	if err := t.checkState(); err != nil {
		return err
	}
	if t.Rows != 0 || t.Cols != 0 {
		return t.checkBlock()
	}
	return t.checkExperiment()
}

// checkState allows only states that can be part of a parameter's name.
func (t *Timing) checkState() error {
	legal := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
	}
	if strings.IndexFunc(t.State, func(c rune) bool { return !legal(c) }) >= 0 || len(t.State) > 32 {
		return fmt.Errorf("state: %q is not a name of at most 32 letters, digits and '_'", t.State)
	}
	return nil
}

// checkBlock fills in the bytes of a block.
func (t *Timing) checkBlock() error {
	switch {
	case t.Rows < 1 || t.Cols < 1 || t.Item < 1:
		return fmt.Errorf("a block of %d x %d items of %d bytes; rows, cols and item must all be above zero", t.Rows, t.Cols, t.Item)
	case t.Cols > maxCount/int64(t.Item) || t.Rows > maxCount/(t.Cols*int64(t.Item)):
		return fmt.Errorf("a block of %d x %d items of %d bytes is too large", t.Rows, t.Cols, t.Item)
	case t.Rows > 1 && int64(t.Stride) < t.Cols*int64(t.Item):
		return fmt.Errorf("stride: rows of %d bytes, %d apart, overlap", t.Cols*int64(t.Item), t.Stride)
	case t.Experiment != packing.Transfer && t.Experiment != packing.Scan && t.Experiment != packing.Array:
		return fmt.Errorf("experiment: %s has no rows and cols", t.Experiment)
	}
	if _, err := t.Layout().Lines(1); err != nil {
		return err
	}
	bytes := unit.Bytes(t.Rows * t.Cols * int64(t.Item))
	if t.Bytes != 0 && t.Bytes != bytes {
		return fmt.Errorf("bytes: %d, but the block has %d", t.Bytes, bytes)
	}
	t.Bytes = bytes
	return t.checkExperiment()
}

// checkExperiment checks that the experiment has all values that it needs.
func (t *Timing) checkExperiment() error {
	many, paused := t.Experiment == Burst || t.Experiment == Delayed, t.Experiment == Delayed || t.Experiment == Held
	switch {
	case many && t.Count < 2:
		return fmt.Errorf("count: a %s needs two messages or more", t.Experiment)
	case !many && t.Count > 1:
		return fmt.Errorf("count: a %s has one message", t.Experiment)
	case paused && !(t.Delay > 0):
		return fmt.Errorf("delay: is missing")
	case !paused && t.Delay != 0:
		return fmt.Errorf("delay: a %s has none", t.Experiment)
	case t.Experiment == packing.Array && t.Accesses == 0:
		return fmt.Errorf("accesses: are missing; an array statement needs its loads and stores")
	case t.Experiment != packing.Array && t.Accesses != 0:
		return fmt.Errorf("accesses: only array statements have them")
	case (t.Experiment == packing.Transfer || t.Experiment == packing.Scan) && t.Bytes == 0:
		return fmt.Errorf("bytes: are missing, as are rows, cols and item")
	}
	t.Blocks, t.Count = max(t.Blocks, 1), max(t.Count, 1)
	return nil
}
