package memory

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"spoor/calibrate/internal/host"
	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/traces/unit"
)

// description is the text of a machine file while it is written.
type description struct {
	bytes.Buffer
	line unit.Bytes
}

// add writes a key with its source as a comment.
func (d *description) add(key, value, from string) {
	fmt.Fprintf(d, "%s = %s # %s\n", key, value, from)
}

func quoted(v fmt.Stringer) string { return strconv.Quote(v.String()) }

// nanos formats a time exactly, unlike unit.Seconds, which rounds.
func nanos(s float64) string {
	return strconv.Quote(strconv.FormatFloat(max(s, 0)*1e9, 'f', 3, 64) + " ns")
}

// between formats an interval for people.
func between(v Value, of func(float64) string) string {
	if math.IsNaN(v.Lo) {
		return "no interval"
	}
	return fmt.Sprintf("95 %%: %s to %s", of(v.Lo), of(v.Hi))
}

func seconds(s float64) string { return unit.Seconds(s).String() }
func hertz(f float64) string   { return unit.Hertz(f).String() }
func size(b float64) string    { return rounded(b).String() }
func count(n float64) string   { return strconv.FormatFloat(n, 'f', 0, 64) }

// Machine returns the description of a machine with one node, in the format of package machine. from is the
// dataset. Every value has its source as a comment.
func (r *Result) Machine(name, from string) ([]byte, error) {
	d := &description{line: unit.Bytes(r.Line.Value)}
	if len(r.Levels) < 2 {
		return nil, &host.TooNoisyError{What: "no level of cache was found, which a machine description needs"}
	}
	if math.IsNaN(r.Clock.Value) || math.IsNaN(r.CPI.Value) {
		return nil, &host.TooNoisyError{What: "the clock could not be measured: no sample was undisturbed"}
	}
	lineFrom := "measured: where pairs of loads leave a line"
	if math.IsNaN(r.Line.Value) {
		d.line, lineFrom = 64, "assumed: could not be measured"
		if len(r.Facts.Kernel) > 0 {
			d.line, lineFrom = r.Facts.Kernel[0].Line, "the kernel's: could not be measured"
		}
	}
	fmt.Fprintf(d, "# Measured by calibrate memory; the samples are in %s.\nname = %s\n\n[processor]\n", from, strconv.Quote(name))
	d.add("clock", strconv.Quote(strconv.FormatFloat(r.Clock.Value/1e6, 'f', 1, 64)+" MHz"), "measured, "+between(r.Clock, hertz)+": dependent additions")
	d.add("cpi", strconv.FormatFloat(r.CPI.Value, 'f', 4, 64), fmt.Sprintf("measured: dot product in the first level, %d instructions an element", loopInstructions))
	if n, room := math.Round(r.Outstanding.Value), math.Round(r.Window.Value); n >= 1 && room >= 1 {
		d.add("outstanding", count(n), "measured, "+between(r.Outstanding, count)+": chains of misses at once")
		d.add("window", count(room), "measured, "+between(r.Window, count)+": instructions behind a miss that cost nothing")
	}
	d.ahead(r)
	found, _ := r.Found()
	before := 0.0
	for i, f := range found {
		d.cache(r, i, f, before, lineFrom)
		before = f.Latency.Value
	}
	d.memory(r, before)
	fmt.Fprintf(d, "\n[system]\ntarget = \"smp\"\n")
	d.add("processors", strconv.Itoa(r.Facts.Processors), "that this process may run on")
	text := bytes.Clone(d.Bytes())
	if _, err := machine.Parse("what was measured", text); err != nil {
		return nil, fmt.Errorf("the measured levels do not form a valid machine: %w", err)
	}
	return text, nil
}

// streams is assumed, not measured: processors follow 16 to 32 streams at once.
const streams = 16

// ahead adds the prefetcher if sequential loads have more lines outstanding than the processor overlaps misses: as
// many as memory delivers in the latency of one.
func (d *description) ahead(r *Result) {
	m := r.memory()
	n := math.Ceil(m.Latency.Value * m.Bandwidth.Value / float64(d.line))
	if own := max(1, math.Round(r.Outstanding.Value)); !(n > own) {
		return
	}
	d.add("ahead", count(n), fmt.Sprintf("measured: loads in order take %s a line, of %s each", seconds(float64(d.line)/m.Bandwidth.Value), seconds(m.Latency.Value)))
	d.add("streams", strconv.Itoa(streams), "assumed")
}

// cache describes a level. Hits of the first level are part of cpi. Latencies of the others are added to those of
// the inner levels.
func (d *description) cache(r *Result, i int, f Found, before float64, lineFrom string) {
	bytes, ways := geometry(f.Size.Value, d.line)
	sizeFrom := fmt.Sprintf("measured %s, %s; the nearest of 8 to 14 ways", size(f.Size.Value), between(f.Size, size))
	waysFrom := "assumed"
	last := i == len(r.caches())-1
	shared := last && i > 1 && r.Facts.Processors > 1
	if k := f.Kernel; k != nil && k.Ways > 0 && k.Size%(unit.Bytes(k.Ways)*d.line) == 0 && unit.Bytes(k.Size/d.line/unit.Bytes(k.Ways)).IsPowerOfTwo() {
		bytes, ways = k.Size, k.Ways
		sizeFrom = fmt.Sprintf("the kernel's; measured %s, %s", size(f.Size.Value), between(f.Size, size))
		waysFrom = "the kernel's"
		shared = last && i > 0 && k.Shared > 1
	}
	if shared {
		d.WriteString("\n[shared_cache]\n")
	} else {
		d.WriteString("\n[[cache]]\n")
	}
	d.add("size", quoted(bytes), sizeFrom)
	d.add("line", quoted(d.line), lineFrom)
	d.add("ways", strconv.Itoa(ways), waysFrom)
	if i == 0 {
		d.add("latency", `"0 cycles"`, fmt.Sprintf("in cpi; load to use measured %s, %s", seconds(f.Latency.Value), between(f.Latency, seconds)))
		return
	}
	d.add("latency", nanos(f.Latency.Value-before), fmt.Sprintf("measured: %s, %s, less that of the level before", seconds(f.Latency.Value), between(f.Latency, seconds)))
}

func (d *description) memory(r *Result, before float64) {
	m := r.memory()
	d.WriteString("\n[memory]\n")
	if r.Facts.Memory > 0 {
		d.add("size", quoted(r.Facts.Memory), "the kernel's")
	} else {
		last := r.caches()[len(r.caches())-1]
		d.add("size", quoted(unit.Bytes(math.Exp2(math.Ceil(math.Log2(last.Size.Value))+6))), "assumed: the kernel does not say")
	}
	d.add("latency", nanos(m.Latency.Value-before), fmt.Sprintf("measured: %s, %s, less that of the last level", seconds(m.Latency.Value), between(m.Latency, seconds)))
	if m.Bandwidth.Value > 0 {
		d.add("occupancy", nanos(float64(d.line)/m.Bandwidth.Value), fmt.Sprintf("a line at the %v that one processor loads; all together may have more", unit.BytesPerSecond(m.Bandwidth.Value)))
	}
	if trip := r.Facts.Trip; trip > 0 {
		d.add("invalidate", nanos(float64(trip)/2), fmt.Sprintf("half of a round trip of one byte between two processors, %v", trip))
	}
	d.add("page", quoted(page), "that is touched as a whole")
}

// Params returns all values as parameters. source is the dataset and its digest.
func (r *Result) Params(source string) (*param.Set, error) {
	set := &param.Set{}
	for _, v := range r.Values() {
		method := v.Method
		if r.State != "" {
			method += "; state " + r.State
		}
		p := param.Param{Name: v.Name, Value: v.Value, Unit: v.Unit, Lo: v.Lo, Hi: v.Hi, N: uint64(v.N), Method: method, Source: source}
		if err := set.Add(p); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// Values returns all values, in the order in which they are shown.
func (r *Result) Values() (list []Value) {
	all := []Value{r.Clock, r.CPI, r.Line}
	for _, l := range r.Levels {
		all = append(all, l.Size, l.Latency, l.Bandwidth)
	}
	for _, b := range r.Buffers {
		all = append(all, b.Reach, b.Penalty)
	}
	all = append(append(append(all, r.Outstanding, r.Window), r.Touch), r.Gathers...)
	for _, v := range all {
		if v.Name != "" && !math.IsNaN(v.Value) {
			list = append(list, v)
		}
	}
	return list
}
