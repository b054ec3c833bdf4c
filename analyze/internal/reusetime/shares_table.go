package reusetime

import (
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// SharesTable has a row for each size of a cache in lines and each program, and one for all programs together. The names are those of
// the programs. The line is the size of all lines.
func SharesTable(line unit.Bytes, sizes []int64, names []string, programs []Program, tool string) *store.Table {
	s := shares{line: line, tool: tool}
	for _, size := range sizes {
		s.add(size, names, programs)
	}
	return s.table()
}

// shares holds the columns of the table compose, sorted by size and program.
type shares struct {
	line                                  unit.Bytes
	tool                                  string
	cache                                 []int64
	program                               []int32
	name                                  []string
	rate, window, occupied, alone, shared []float64
}

// together is the program number of all programs together.
const together int32 = -1

// add predicts the misses in a cache of the given number of lines.
func (s *shares) add(cache int64, dirs []string, programs []Program) {
	var rate, occupied, alone, shared, window float64
	for i, r := range Compose(programs, float64(cache)) {
		p := programs[i]
		own := p.HOTL(float64(cache))
		s.row(cache, int32(i), dirs[i], p.Rate, r.Window, r.Lines, own, r.Miss)
		rate += p.Rate
		window += r.Window
		occupied += r.Lines
		alone += p.Rate * own
		shared += p.Rate * r.Miss
	}
	s.row(cache, together, "(all)", rate, window, occupied, alone/rate, shared/rate)
}

func (s *shares) row(cache int64, program int32, name string, rate, window, occupied, alone, shared float64) {
	s.cache, s.program, s.name = append(s.cache, cache), append(s.program, program), append(s.name, name)
	s.rate, s.window, s.occupied = append(s.rate, rate), append(s.window, window), append(s.occupied, occupied)
	s.alone, s.shared = append(s.alone, alone), append(s.shared, shared)
}

func (s *shares) table() *store.Table {
	return &store.Table{Name: "compose", Meta: []trace.Arg{{Key: "line", Value: s.line.String()}, {Key: "tool", Value: s.tool}}, Columns: []store.Column{
		{Name: "cache", Unit: "lines", Data: s.cache},
		{Name: "program", Data: s.program},
		{Name: "name", Data: s.name},
		{Name: "rate", Data: s.rate},
		{Name: "window", Unit: "uses", Data: s.window},
		{Name: "occupied", Unit: "lines", Data: s.occupied},
		{Name: "alone", Data: s.alone},
		{Name: "shared", Data: s.shared},
	}}
}
