package cluster

import "testing"

// Where it was measured that a tenth of the time of misses is waited for, a tenth of it is in the prediction, of one processor and
// in both models; the published one waits for all.
func TestExposedShare(t *testing.T) {
	run := curveRun(t, 1, [3]int{64, -1, 100}, [3]int{64, 10, 700}, [3]int{64, 5000, 200})
	m := smpMachine(t, "ways = 2", "ways = 4096", `occupancy = "50 cycles"`, `occupancy = "1 cycle"`)
	m.Processor.Exposed = 0.1
	want := 5e-9 * (1 + 0.25*(1+0.1*50*0.3))
	c := &Case{Runs: []*Run{run}, Machine: m, Processors: 1}
	curve, err := Curve{}.Predict(c)
	if err != nil || !near(float64(curve.EInstr), want, 1e-12) {
		t.Errorf("curve: %v, %v; want %v", curve.EInstr, err, want)
	}
	m = smpMachine(t, `occupancy = "50 cycles"`, `occupancy = "1 cycle"`)
	m.Processor.Exposed = 1
	c = &Case{Runs: []*Run{measured(t, record(1, 3000, scatter(5, 100_000, 0.3)), m)}, Machine: m, Processors: 1}
	all, err := MVA{}.Predict(c)
	if err != nil {
		t.Fatal(err)
	}
	m.Processor.Exposed = 0.1
	tenth, err := MVA{}.Predict(c)
	if a, b := all.Split, tenth.Split; err != nil || b.Ideal != a.Ideal || b.Latency == 0 || !near(float64(b.Latency), float64(a.Latency)/10, 1e-9) {
		t.Errorf("mva: %+v, %v; all of the time of misses is %+v", b, err, a)
	}
}
