package paired

import (
	"fmt"
	"strconv"

	"spoor/traces/store"
)

// Wide has a row for each case and two columns for each model.
func (c *Comparison) Wide() *store.Table {
	var program, machine []string
	var processors []int32
	var simulated []float64
	for _, k := range c.Cases {
		s := k.Simulated
		program, machine = append(program, s.Program), append(machine, s.Machine)
		processors, simulated = append(processors, int32(s.Processors)), append(simulated, s.EInstr)
	}
	t := &store.Table{Name: "comparison", Columns: []store.Column{{Name: "program", Data: program}, {Name: "machine", Data: machine},
		{Name: "processors", Data: processors}, {Name: "simulated", Unit: "ns", Data: simulated}}}
	for i, model := range c.Models {
		predicted, errors := make([]string, len(c.Cases)), make([]string, len(c.Cases))
		for n, k := range c.Cases {
			if e, ok := k.Error(i); ok {
				predicted[n] = strconv.FormatFloat(k.Predicted[i].EInstr, 'g', 4, 64)
				errors[n] = fmt.Sprintf("%+.1f", 100*e)
			}
		}
		t.Columns = append(t.Columns, store.Column{Name: model, Unit: "ns", Data: predicted}, store.Column{Name: "error", Unit: "%", Data: errors})
	}
	return t
}

// SummaryTable has a row for each model.
func (c *Comparison) SummaryTable() *store.Table {
	var model, within, mean, worst, where []string
	for i := range c.Models {
		s := c.Summary(i)
		if s.Cases == 0 {
			continue
		}
		model = append(model, s.Model)
		mean, worst = append(mean, fmt.Sprintf("%.1f", 100*s.Mean)), append(worst, fmt.Sprintf("%.1f", 100*s.Worst))
		within, where = append(within, fmt.Sprintf("%d of %d", s.Within, s.Cases)), append(where, s.WorstCase.Name())
	}
	return &store.Table{Name: "summary", Columns: []store.Column{{Name: "model", Data: model}, {Name: "mean error", Unit: "%", Data: mean},
		{Name: "worst error", Unit: "%", Data: worst}, {Name: "within 5 %", Data: within}, {Name: "worst row", Data: where}}}
}
