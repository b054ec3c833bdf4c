package meshes

import (
	"context"
	"math"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var apucsSizes = []workload.Values{{"stations": 1, "f": 120, "time": 3}, {"stations": 3, "time": 8, "window": 5}, {"stations": 5, "f": 1, "time": 20}, {"stations": 4, "time": 10, "window": 100}}

func spoilAPUCS(inst workload.Instance) {
	f := inst.(*apucs)
	f.result[1].busy[0] *= 1 + 1e-15
}

// TestEquilibriumIsNotAnything: half or twice the jobs are found out, and
// departures that are off by three tenths.
func TestEquilibriumIsNotAnything(t *testing.T) {
	const procs = 4
	f := kerneltest.Instance(t, APUCS, workload.Values{"stations": 200, "time": 20}, procs).(*apucs)
	if err := spmd.Native(context.Background(), procs, f.Program); err != nil {
		t.Fatal(err)
	}
	if err := f.compareWithEquilibrium(); err != nil {
		t.Error(err)
	}
	mean, jobs := f.network.arrivalRate()*float64(len(f.station)*f.time), 0.0
	for _, s := range f.station {
		jobs += s.load / (1 - s.load)
	}
	for _, factor := range []float64{0.5, 2} {
		if tail := f.jobsTail(factor * jobs); tail > math.Log(improbable) {
			t.Errorf("%v of the expected jobs pass: %v", factor, tail)
		}
	}
	for _, factor := range []float64{0.7, 1.3} {
		if tail := poissonTail(factor*mean, mean); tail > math.Log(improbable) {
			t.Errorf("%v of the expected departures pass: %v", factor, tail)
		}
	}
}

// TestWindowsChangeMessagesOnly: shorter windows drop more points, and no job.
func TestWindowsChangeMessagesOnly(t *testing.T) {
	const procs = 3
	var messages []int64
	var digests []string
	for _, window := range []int{1, 4, 64} {
		f := kerneltest.Instance(t, APUCS, workload.Values{"time": 64, "window": window}, procs).(*apucs)
		if err := spmd.Native(context.Background(), procs, f.Program); err != nil {
			t.Fatal(err)
		}
		messages = append(messages, f.result[0].totals[1])
		for rank := range f.result {
			f.result[rank].totals[1] = 0
		}
		digests = append(digests, f.Digest())
	}
	if !(messages[0] < messages[1] && messages[1] < messages[2]) {
		t.Errorf("messages with longer and longer windows: %v", messages)
	}
	if digests[0] != digests[1] || digests[1] != digests[2] {
		t.Errorf("results with longer and longer windows: %v", digests)
	}
}
