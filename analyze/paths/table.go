package paths

import (
	"fmt"
	"math"
	"strconv"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// TableName is the name of the table of paths.
const TableName = "paths"

// deadlocks is the fact with a limit of the rendezvous protocol with which processors wait for ever.
const deadlocks = "rendezvous deadlock"

// costColumns are the columns with the costs at which a path determines the time.
var costColumns = [costs]string{"instruction", "unit_of_work", "o_s", "o_r", "L", "g", "G"}

// table returns a row for each path.
func (t *Term) table(meta []trace.Arg) *store.Table {
	facts := append(meta[:len(meta):len(meta)],
		trace.Arg{Key: "messages", Value: strconv.Itoa(t.Messages)},
		trace.Arg{Key: "instructions", Value: strconv.FormatInt(t.Instructions, 10)},
		trace.Arg{Key: "work", Value: strconv.FormatInt(t.Work, 10)},
		trace.Arg{Key: "unit of work", Value: string(t.WorkUnit)},
		trace.Arg{Key: "largest message", Value: strconv.FormatInt(t.Largest, 10)},
		trace.Arg{Key: "path collectives", Value: t.Collectives},
		trace.Arg{Key: "costs tried", Value: strconv.Itoa(t.Tried)},
		trace.Arg{Key: "missing", Value: strconv.FormatFloat(t.Missing, 'g', 6, 64)},
		trace.Arg{Key: "no paths", Value: t.Unfit})
	for _, limit := range t.Deadlocks {
		facts = append(facts, trace.Arg{Key: deadlocks, Value: strconv.FormatInt(limit, 10)})
	}
	out := &store.Table{Name: TableName, Meta: facts, Columns: []store.Column{
		store.ColumnOf(t.paths, "ports", "", func(p Path) string { return string(p.Ports) }),
		store.ColumnOf(t.paths, "rendezvous", "B", func(p Path) int64 { return p.Rendezvous }),
		store.ColumnOf(t.paths, "time", "ps", func(p Path) int64 { return int64(p.Time) }),
	}}
	for _, c := range Costs {
		out.Columns = append(out.Columns, store.ColumnOf(t.paths, costColumns[c], "ps", func(p Path) int64 { return p.Costs[c] }))
	}
	for _, c := range Costs {
		out.Columns = append(out.Columns, store.ColumnOf(t.paths, c.String(), "", func(p Path) int64 { return p.Counts[c] }))
	}
	return out
}

// Load returns the term of a table that the analysis wrote.
func Load(t *store.Table) (*Term, error) {
	out := &Term{WorkUnit: trace.WorkUnit(t.Fact("unit of work")), Collectives: t.Fact("path collectives"), Unfit: t.Fact("no paths")}
	var err error
	number := func(key string) (n int64) {
		if n, e := strconv.ParseInt(t.Fact(key), 10, 64); e == nil && n >= 0 {
			return n
		}
		err = fmt.Errorf("%s.arrow: its fact %q is %q, not a number", TableName, key, t.Fact(key))
		return 0
	}
	out.Messages, out.Instructions, out.Work = int(number("messages")), number("instructions"), number("work")
	out.Largest, out.Tried = number("largest message"), int(number("costs tried"))
	if out.Missing, _ = strconv.ParseFloat(t.Fact("missing"), 64); !(out.Missing >= 0) {
		out.Missing = math.Inf(1)
	}
	if err != nil {
		return nil, err
	}
	for _, a := range t.Meta {
		if n, err := strconv.ParseInt(a.Value, 10, 64); a.Key == deadlocks && err == nil {
			out.Deadlocks = append(out.Deadlocks, n)
		}
	}
	if err := out.read(t); err != nil {
		return nil, fmt.Errorf("%s.arrow: %w", TableName, err)
	}
	return out, out.index()
}

// read reads the rows of a table.
func (t *Term) read(from *store.Table) error {
	ports, err := columnOf[string](from, "ports")
	if err != nil {
		return err
	}
	t.paths = make([]Path, len(ports))
	for i, p := range ports {
		t.paths[i].Ports = Ports(p)
	}
	fields := map[string]func(*Path) *int64{
		"rendezvous": func(p *Path) *int64 { return &p.Rendezvous },
		"time":       func(p *Path) *int64 { return (*int64)(&p.Time) },
	}
	for _, c := range Costs {
		fields[costColumns[c]] = func(p *Path) *int64 { return &p.Costs[c] }
		fields[c.String()] = func(p *Path) *int64 { return &p.Counts[c] }
	}
	for name, field := range fields {
		values, err := columnOf[int64](from, name)
		if err != nil {
			return err
		}
		for i, v := range values {
			*field(&t.paths[i]) = v
		}
	}
	return nil
}

// columnOf returns a column of t.
func columnOf[T int64 | string](t *store.Table, name string) ([]T, error) {
	for _, c := range t.Columns {
		if data, is := c.Data.([]T); is && c.Name == name && len(data) == t.Rows() {
			return data, nil
		}
	}
	return nil, fmt.Errorf("no column %q", name)
}

// summary describes the paths for people.
func (t *Term) summary() *store.Table {
	type row struct {
		class Class
		n     int
	}
	var rows []row
	for _, p := range t.paths {
		if n := len(rows); n == 0 || rows[n-1].class != p.Class {
			rows = append(rows, row{class: p.Class})
		}
		rows[len(rows)-1].n++
	}
	return &store.Table{Name: TableName + " summary", Columns: []store.Column{
		store.ColumnOf(rows, "ports", "", func(r row) string { return string(r.class.Ports) }),
		store.ColumnOf(rows, "rendezvous", "", func(r row) string {
			if r.class.Rendezvous < 0 {
				return none
			}
			return unit.Bytes(r.class.Rendezvous).String()
		}),
		store.ColumnOf(rows, "paths", "", func(r row) int32 { return int32(r.n) }),
	}}
}

// warnings returns what makes the paths doubtful.
func (t *Term) warnings() (all []error) {
	if t.Unfit != "" {
		all = append(all, fmt.Errorf("paths: no critical paths as functions of costs: %s", t.Unfit))
	}
	for _, limit := range t.Deadlocks {
		all = append(all, fmt.Errorf("paths: processors wait for ever if messages of more than %v use the rendezvous protocol", unit.Bytes(limit)))
	}
	if t.Missing > 2*precision {
		all = append(all, fmt.Errorf("paths: after %d simulations, the program still takes up to %.1f %% longer than its paths", t.Tried, 100*t.Missing))
	}
	return all
}
