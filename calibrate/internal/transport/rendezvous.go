package transport

import (
	"slices"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

const (
	// lateBy is the lateness of a receiver, in delays that are longer than a round trip. It separates sends that
	// wait from slow sends.
	lateBy    = 3
	leastLate = unit.Seconds(20e-6)
)

// held returns the send of a message for which the receiver is late.
func held(size unit.Bytes, delay unit.Seconds) packing.Point {
	return packing.Point{Experiment: timing.Held, Bytes: size, Count: 1, Delay: max(lateBy*delay, leastLate), Set: timing.Train}
}

// pilotOf returns a pilot that asks a bench once for each size.
func pilotOf(b Bench) pilot {
	return pilot{once(func(size unit.Bytes) unit.Bytes { return size }, func(size unit.Bytes) (unit.Seconds, error) { return delayOf(b, size) }),
		once(func(p packing.Point) unit.Bytes { return p.Bytes }, func(p packing.Point) (bool, error) { return waits(b, p) })}
}

// once caches the results of a function by size.
func once[Q, A any](size func(Q) unit.Bytes, of func(Q) (A, error)) func(Q) (A, error) {
	known := map[unit.Bytes]A{}
	return func(q Q) (A, error) {
		if a, is := known[size(q)]; is {
			return a, nil
		}
		a, err := of(q)
		known[size(q)] = a
		return a, err
	}
}

// waits reports whether a held send waits for its receiver, by the least of a few sends.
func waits(b Bench, p packing.Point) (bool, error) {
	trial, err := b.Trial(p)
	if err != nil {
		return false, err
	}
	least := unit.Seconds(0)
	for range pilots {
		if t := trial(); t > 0 && (least == 0 || t < least) {
			least = t
		}
	}
	return timing.Waited(least, p.Delay), nil
}

// beside adds the sizes at which the protocol changes to a list. These are the largest size whose sends do not
// wait for their receivers, and the next one. They are also the sizes at which a round trip grows faster than the
// size, because each message then needs one more.
func (ask *pilot) beside(list []unit.Bytes) ([]unit.Bytes, error) {
	out := slices.Clone(list)
	for i := 1; i < len(list); i++ {
		for _, change := range []func(low, high unit.Bytes) (*bisection, error){ask.rendezvous, ask.jump} {
			b, err := change(list[i-1], list[i])
			if err != nil {
				return nil, err
			}
			if b == nil {
				continue
			}
			low, high, err := b.run(list[i-1], list[i])
			if err != nil {
				return nil, err
			}
			out = append(out, low, high)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// bisection finds the size at which something changes, with a given accuracy in bytes.
type bisection struct {
	above func(size unit.Bytes) (bool, error) // reports whether a size is beyond the change
	near  func(size unit.Bytes) unit.Bytes
}

func (b *bisection) run(low, high unit.Bytes) (unit.Bytes, unit.Bytes, error) {
	for high-low > b.near(low) {
		middle := (low + high) / 2
		is, err := b.above(middle)
		if err != nil {
			return 0, 0, err
		}
		if is {
			high = middle
		} else {
			low = middle
		}
	}
	return low, high, nil
}

// rendezvous returns nil if sends of both sizes wait for their receivers, or neither.
func (ask *pilot) rendezvous(low, high unit.Bytes) (*bisection, error) {
	wait := func(size unit.Bytes) (bool, error) {
		delay, err := ask.delay(size)
		if err != nil {
			return false, err
		}
		return ask.waits(held(size, delay))
	}
	first, err := wait(low)
	if err != nil || first {
		return nil, err
	}
	if last, err := wait(high); err != nil || !last {
		return nil, err
	}
	return &bisection{wait, func(unit.Bytes) unit.Bytes { return 1 }}, nil
}

const (
	// steep is the least ratio by which a round trip grows more than the size where it jumps.
	steep = 1.25
	// nearJump is the inverse relative accuracy of the size of a jump: round trips are noisy.
	nearJump = 64
)

// jump returns nil if a round trip does not grow faster than the size.
func (ask *pilot) jump(low, high unit.Bytes) (*bisection, error) {
	first, err := ask.delay(low)
	if err != nil {
		return nil, err
	}
	last, err := ask.delay(high)
	if err != nil || float64(last/first) < steep*float64(high)/float64(low) {
		return nil, err
	}
	return &bisection{func(size unit.Bytes) (bool, error) {
		t, err := ask.delay(size)
		return t*t > first*last, err
	}, func(size unit.Bytes) unit.Bytes { return max(1, size/nearJump) }}, nil
}
