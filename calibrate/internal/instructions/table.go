package instructions

import (
	"fmt"
	"math"
	"strings"

	"spoor/calibrate/internal/fit"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// table has the columns of a table of runs.
type table struct {
	kernel, arguments        []string
	launch, rep              []int32
	time, missTime           []float64
	instructions, references []int64
}

func (t *table) add(r Run, launch, rep int, time unit.Seconds, c Counts, levels []Level) {
	t.kernel, t.arguments = append(t.kernel, r.Kernel), append(t.arguments, strings.Join(r.Arguments, " "))
	t.launch, t.rep = append(t.launch, int32(launch)), append(t.rep, int32(rep))
	t.time, t.missTime = append(t.time, float64(time)), append(t.missTime, float64(missTime(c, levels)))
	t.instructions, t.references = append(t.instructions, c.Instructions), append(t.references, c.References)
}

// tableName is the name of a table of runs.
const tableName = "runs of kernels"

func (t *table) table(o Options, levels []Level) *store.Table {
	return &store.Table{Name: tableName, Meta: o.facts(levels), Columns: []store.Column{
		{Name: "kernel", Data: t.kernel}, {Name: "arguments", Data: t.arguments}, {Name: "launch", Data: t.launch}, {Name: "rep", Data: t.rep},
		{Name: "time", Unit: "s", Data: t.time}, {Name: "instructions", Data: t.instructions},
		{Name: "references", Data: t.references}, {Name: "miss_time", Unit: "s", Data: t.missTime},
	}}
}

// maxTime bounds the time of a run, in seconds.
const maxTime = 1e6

// read reads the columns that fits need.
func read(s *store.Table) (*table, error) {
	if s.Name != tableName {
		return nil, fmt.Errorf("a table of %s is not a table of %s; calibrate instructions writes one", s.Name, tableName)
	}
	t := &table{}
	for _, err := range []error{
		column(s, "kernel", &t.kernel), column(s, "arguments", &t.arguments), column(s, "launch", &t.launch),
		column(s, "time", &t.time), column(s, "instructions", &t.instructions), column(s, "miss_time", &t.missTime),
	} {
		if err != nil {
			return nil, err
		}
	}
	for i := range t.time {
		switch {
		case !(t.time[i] > 0) || math.IsInf(t.time[i], 1):
			return nil, fmt.Errorf("row %d: time: %v is not above zero", i+1, t.time[i])
		case t.time[i] < fit.ShortestTime || t.time[i] > maxTime:
			return nil, fmt.Errorf("row %d: time: %v s is not from %v to %v s; correct it, or remove the row", i+1, t.time[i], float64(fit.ShortestTime), float64(maxTime))
		case t.instructions[i] < 1:
			return nil, fmt.Errorf("row %d: instructions: %d are fewer than one", i+1, t.instructions[i])
		case !(t.missTime[i] >= 0) || math.IsInf(t.missTime[i], 1):
			return nil, fmt.Errorf("row %d: miss_time: %v is no time", i+1, t.missTime[i])
		case t.launch[i] < 0 || t.launch[i] > 1000:
			return nil, fmt.Errorf("row %d: launch: %d is not from 0 to 1000", i+1, t.launch[i])
		}
	}
	return t, nil
}

func column[T int32 | int64 | float64 | string](s *store.Table, name string, into *[]T) (err error) {
	*into, err = store.Data[T](s, name)
	return err
}
