package replay

import (
	"sync"
	"time"

	"spoor/predict/internal/engine/barrier"
)

// WindowTimes is the time that a simulation in windows took on this host.
type WindowTimes struct {
	Windows uint64
	Elapsed time.Duration // of the simulation, without opening the trace
	Sampled uint64        // windows in which the times of targets were measured; 0 with several workers
	// Of a sampled window, in nanoseconds: the mean time of a target, its variance between the targets of a window, the number of
	// targets that had something to do, and the rest of the window's time.
	Mean, Variance, Active, Rest float64
	Barrier                      float64 // time of a barrier of two workers
}

// sampleEvery is the distance of windows in which the times of targets are measured.
const sampleEvery = 16

// windowClock measures the windows of one worker.
type windowClock struct {
	reading          time.Duration // time of reading the clock
	times            []float64     // of the targets in a window
	sum, squares     float64
	active, rest     float64
	sampled, windows uint64
	begun            time.Time
	last             time.Time
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

// begin begins a window. It reports whether the times of targets are to be measured.
func (c *windowClock) begin() bool {
	if c.windows++; c.windows%sampleEvery != 0 {
		return false
	}
	c.times = c.times[:0]
	c.begun = time.Now()
	c.last = c.begun
	return true
}

// target adds the time of a target, from the last one on.
func (c *windowClock) target(worked bool) {
	if !worked {
		c.times = append(c.times, 0)
		return
	}
	now := time.Now()
	c.times = append(c.times, float64(max(0, now.Sub(c.last)-c.reading)))
	c.last = now
	c.active++
}

// end ends a window of which the times of targets were measured.
func (c *windowClock) end() {
	all, mean, within := float64(time.Since(c.begun)), 0.0, 0.0
	readings := 1
	for _, t := range c.times {
		mean += t / float64(len(c.times))
		if t > 0 {
			readings++
		}
	}
	for _, t := range c.times {
		within += (t - mean) * (t - mean)
	}
	c.sampled++
	c.sum += mean
	if n := len(c.times); n > 1 {
		c.squares += within / float64(n-1)
	}
	c.rest += max(0, all-mean*float64(len(c.times))-float64(readings)*float64(c.reading))
}

// result returns what the clock has measured.
func (c *windowClock) result(elapsed time.Duration) *WindowTimes {
	w := &WindowTimes{Windows: c.windows, Elapsed: elapsed, Sampled: c.sampled, Barrier: barrierTime()}
	if n := float64(c.sampled); n > 0 {
		w.Mean, w.Variance, w.Active, w.Rest = c.sum/n, c.squares/n, c.active/n, c.rest/n
	}
	return w
}

// barrierTime measures the time of a barrier of two workers, in nanoseconds.
func barrierTime() float64 {
	const rounds = 1 << 15
	b := barrier.New(2)
	var other sync.WaitGroup
	other.Go(func() {
		for range rounds {
			b.Wait(1)
		}
	})
	begin := time.Now()
	for range rounds {
		b.Wait(0)
	}
	took := time.Since(begin)
	other.Wait()
	return float64(took) / rounds
}
