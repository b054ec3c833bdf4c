package replay

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"spoor/predict/internal/memsys/wwt"
)

// WindowTimes is the time that a simulation in windows took on this host.
type WindowTimes struct {
	Windows uint64
	Elapsed time.Duration // of the simulation, without opening the trace
	Sampled uint64        // windows in which the times of targets were measured; 0 with several workers
	// Of a sampled window, in nanoseconds: the mean time of a target, the variance between the targets of a window, the number of
	// targets that had something to do, and the rest of the window's time. The variance is of times without reading the trace,
	// because workers that wait at a barrier read for others. It is the mean without the hundredth of the windows in which it is
	// largest: there, the host did something else.
	Mean, Variance, Active, Rest float64
	Overhead                     float64 // of a window of two workers that has only a message of each
}

// sampleEvery is the distance of sampled windows. In every other one of them, the times of targets are measured. Of the others only
// the whole time is, because reading the clock for each target takes time, too.
const sampleEvery = 8

// windowClock measures the windows of one worker.
type windowClock struct {
	reading         time.Duration // time of reading the clock
	times           []float64     // of the targets in a window
	read            time.Duration // time of reading the trace in a window, which is in no other time
	variances       []float64     // of each window
	whole           float64       // times of windows that were measured as a whole
	wholes, windows uint64
	active, rest    float64
	begun, last     time.Time
}

// newWindowClock returns a clock for so many targets.
func newWindowClock(targets int) *windowClock {
	const readings = 1 << 12
	begin := time.Now()
	last := begin
	for range readings {
		last = time.Now()
	}
	return &windowClock{reading: last.Sub(begin) / readings, times: make([]float64, 0, targets)}
}

// sampling is what is measured of a window.
type sampling uint8

const (
	nothing sampling = iota
	wholeWindow
	eachTarget
)

// begin begins a window.
func (c *windowClock) begin() sampling {
	if c == nil {
		return nothing
	}
	if c.windows++; c.windows%sampleEvery != 0 {
		return nothing
	}
	c.times, c.read = c.times[:0], 0
	c.begun = time.Now()
	if c.last = c.begun; c.windows%(2*sampleEvery) == 0 {
		return wholeWindow
	}
	return eachTarget
}

// target adds the time of a target, from the last one on. It read the trace for a part of it.
func (c *windowClock) target(of sampling, worked bool, read time.Duration) {
	c.read += read
	switch {
	case of == wholeWindow:
	case !worked:
		c.times = append(c.times, 0)
	default:
		now := time.Now()
		c.times = append(c.times, float64(max(0, now.Sub(c.last)-c.reading-read)))
		c.last = now
		c.active++
	}
}

// end ends a window.
func (c *windowClock) end(of sampling) {
	if of == nothing {
		return
	}
	all, sum, within := float64(max(0, time.Since(c.begun)-c.reading-c.read)), 0.0, 0.0
	if of == wholeWindow {
		c.whole += all
		c.wholes++
		return
	}
	readings := 0
	for _, t := range c.times {
		if sum += t; t > 0 {
			readings++
		}
	}
	n := float64(len(c.times))
	for _, t := range c.times {
		within += (t - sum/n) * (t - sum/n)
	}
	c.variances = append(c.variances, within/max(1, n-1))
	c.rest += max(0, all-sum-float64(readings)*float64(c.reading))
}

// result returns what the clock has measured; nil measures only the whole. Reading the trace took some time of all windows.
func (c *windowClock) result(elapsed, read time.Duration) *WindowTimes {
	w := &WindowTimes{Elapsed: elapsed, Overhead: emptyWindowTime()}
	if c == nil {
		return w
	}
	w.Windows, w.Sampled = c.windows, uint64(len(c.variances))
	if n := float64(len(c.variances)); n > 0 && c.wholes > 0 {
		w.Active, w.Rest, w.Variance = c.active/n, c.rest/n, c.variance()
		w.Mean = (max(0, c.whole/float64(c.wholes)-w.Rest) + float64(read)/float64(c.windows)) / float64(cap(c.times))
	}
	return w
}

// variance returns the mean variance within windows, without the hundredth of windows in which it is largest.
func (c *windowClock) variance() float64 {
	slices.Sort(c.variances)
	mean, most := 0.0, c.variances[:len(c.variances)-len(c.variances)/100]
	for _, v := range most {
		mean += v / float64(len(most))
	}
	return mean
}

// emptyWindowTime measures a window in which two workers on two processors do nothing but send each other a message, in nanoseconds.
func emptyWindowTime() float64 {
	const rounds = 1 << 15
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	w, last := &windows{}, [2]wwt.Message{}
	w.assign(2)
	work := func(i int) {
		for window := range uint64(rounds) {
			then := (window + 1) % 2
			w.window(i, 0, then)
			w.workers[i].send(then, 1-i, &wwt.Message{})
			w.barrier.Wait(i)
			last[i] = w.workers[1-i].boxes[then][i].messages[0]
		}
	}
	var other sync.WaitGroup
	other.Go(func() { work(1) })
	begin := time.Now()
	work(0)
	took := time.Since(begin)
	other.Wait()
	return float64(took) / rounds
}
