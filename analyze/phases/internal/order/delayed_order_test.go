package order

import (
	"slices"
	"testing"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// However late others are, a processor's uses happen in its order, each once, and those that wait are few.
func TestDelayedIsBounded(t *testing.T) {
	var done [3][]uint64
	pending, worst := 0, 0
	all := NewQueues(3, trace.DataOps, 0)
	d := NewDelayed(all, 1000, func(p trace.Proc, u *Use, _ unit.Instructions) (unit.Instructions, bool, error) {
		done[p] = append(done[p], u.Number)
		pending--
		return unit.Instructions(p) * 1000, true, nil
	})
	d.maxPending = 10
	for i := range uint64(500) {
		for p := range trace.Proc(3) {
			pending++
			all.Procs[p].count++
			all.append(p, Use{at: unit.Instructions(i), Number: i})
		}
		if err := d.Receive(); err != nil {
			t.Fatal(err)
		}
		all.DropProcessed([]*Delayed{d})
		if err := d.Run(false); err != nil {
			t.Fatal(err)
		}
		worst = max(worst, pending)
	}
	if err := d.EndPhase(); err != nil || pending != 0 || worst > 3*10 {
		t.Errorf("%v, %d uses are left, %d waited", err, pending, worst)
	}
	for p := range done {
		if len(done[p]) != 500 || !slices.IsSorted(done[p]) {
			t.Errorf("processor %d: %v", p, done[p])
		}
	}
}
