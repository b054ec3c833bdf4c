package cluster

import (
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// The reading of [du2000, sec. 5] with one server has a CPI of 2.870 and 26761 transactions a minute (data/paper/du2000/tpcc.tsv), where E(Instr) of the four
// processors together is a quarter of that time. As printed, the first is a quarter, and the second four times as much in each second.
func TestRates(t *testing.T) {
	c := &Case{Machine: &machine.Machine{}}
	c.Machine.Processor.Clock = 200e6
	p := model.Prediction{Processors: 4, EInstr: unit.Seconds(2.870 / 200e6 / 4)}
	for _, row := range []struct {
		printed  bool
		cpi, tpm float64
	}{{false, 2.870, 26761}, {true, 2.870 / 4, 26761 * 4 / 60.0}} {
		r := rates(p, c, 625000, row.printed)
		if len(r) != 3 || !near(r[0].Value, row.cpi, 1e-9) || !near(r[2].Value, row.tpm, 5e-4) || !near(r[1].Value*r[2].Value, map[bool]float64{false: 60, true: 1}[row.printed]*4, 1e-9) {
			t.Errorf("printed %v: %+v", row.printed, r)
		}
	}
	if r := rates(p, c, 0, false); len(r) != 1 {
		t.Errorf("without transactions: %+v", r)
	}
}
