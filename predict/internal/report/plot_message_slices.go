package report

import (
	"fmt"
	"math"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
)

// messageTimeline is what every processor does over time, of predict replay --phases.
var messageTimeline = tablePlot{
	id: "message-timeline", heading: "Messages over time", tables: []string{"simulated slices"},
	note: "What each processor does over time, in slices of time: the height of a colour is the share of the slice. With many processors, a row is the mean of neighbours.",
	draw: func(tables []found) ([]chart.Figure, error) {
		return drawSlices(tables, func(r slicedRun) chart.Figure { return chart.Figure{Title: "Timeline, " + r.name, Chart: r.timeline()} })
	},
}

// messageRanks is where the time of every processor goes.
var messageRanks = tablePlot{
	id: "message-ranks", heading: "Time of each processor by cause", tables: []string{"simulated slices"},
	note: "Time of the run by cause; end is waiting for the last processor to finish. With many processors, a row is the mean of neighbours.",
	draw: func(tables []found) ([]chart.Figure, error) {
		return drawSlices(tables, func(r slicedRun) chart.Figure {
			return chart.Figure{Title: "Time of each processor by cause, " + r.name, Chart: r.stacks()}
		})
	},
}

func drawSlices(tables []found, draw func(slicedRun) chart.Figure) (figures []chart.Figure, err error) {
	for _, t := range tables {
		runs, err := slicedRuns(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
		for _, r := range runs {
			f := draw(r)
			f.Heading = r.name
			figures = append(figures, f)
		}
	}
	return figures, nil
}

// sliceParts are what the time of a slice goes to: those of messageParts, without the end.
var sliceParts = messageParts[:len(messageParts)-1]

// slice is the mean time in ms that a block of processors spent on each cause in a slice of time.
type slice [9]float64

// slicedRun is one simulation.
type slicedRun struct {
	name  string
	rows  blocks
	width float64   // of a slice, in ms
	of    [][]slice // by block
	end   float64   // of the run, in ms
}

// mostRows is how many processors a plot has room for.
const mostRows = 32

func slicedRuns(t found) (runs []slicedRun, err error) {
	r := columns.Reader{Table: t.Table}
	program, machine, processors := r.Text("program"), r.Text("machine"), r.Whole("processors")
	proc, number, begin := r.Whole("proc"), r.Whole("slice"), r.Measured("begin", "s")
	var parts [len(slice{})][]float64
	for k, part := range sliceParts {
		parts[k] = r.Measured(part.column, "s")
	}
	if r.Err != nil {
		return nil, r.Err
	}
	for i := range proc {
		if processors[i] < 1 || processors[i] > math.MaxInt32 || proc[i] < 0 || proc[i] >= processors[i] || number[i] < 0 || number[i] >= mostSlices || !(begin[i] >= 0) || math.IsInf(begin[i], 0) {
			return nil, fmt.Errorf("row %d is of slice %d at %v s, processor %d of %d", i, number[i], begin[i], proc[i], processors[i])
		}
		name := fmt.Sprintf("%s, %s, %s", columns.Clean(program[i]), numeral.Plural(int(processors[i]), "processor"), columns.Clean(machine[i]))
		if n := len(runs); n == 0 || runs[n-1].name != name {
			rows := newBlocks(int(processors[i]), mostRows)
			runs = append(runs, slicedRun{name: name, rows: rows, of: make([][]slice, rows.count())})
		}
		run := &runs[len(runs)-1]
		if number[i] > 0 {
			run.width = 1e3 * begin[i] / float64(number[i])
		}
		if err := run.add(int(proc[i]), int(number[i]), 1e3*begin[i], func(k int) float64 { return 1e3 * parts[k][i] }); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
	}
	return runs, nil
}

// mostSlices bounds the slices of a run: predict makes 256.
const mostSlices = 1 << 12

// add adds a slice of a processor that begins at a time.
func (r *slicedRun) add(proc, number int, begin float64, part func(k int) float64) error {
	block, busy := r.rows.at(proc), 0.0
	for len(r.of[block]) <= number {
		r.of[block] = append(r.of[block], slice{})
	}
	for k := range sliceParts {
		v := part(k)
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v ms", sliceParts[k].column, v)
		}
		r.of[block][number][k] += v / float64(r.rows.size(block))
		busy += v
	}
	r.end = max(r.end, begin+busy)
	return nil
}

// series begins one for each part.
func partSeries() (all []chart.Series) {
	for _, part := range messageParts {
		all = append(all, chart.Mark{Ink: part.ink}.Series(part.column, "bar", part.column))
	}
	return all
}

// timeline draws at most as many pieces as one can see.
func (r slicedRun) timeline() *chart.Chart {
	c := &chart.Chart{Kind: chart.Timeline, X: chart.Axis{Name: "time", Unit: "ms", Scale: chart.Linear}, Y: chart.Axis{Name: "processor", Scale: chart.Category, Categories: r.rows.names()},
		Series: partSeries()[:len(sliceParts)]}
	longest := 0
	for _, slices := range r.of {
		longest = max(longest, len(slices))
	}
	most := min(128, max(32, 1024/len(r.of)))
	step := max(1, (longest+most-1)/most)
	for block, slices := range r.of {
		for first := 0; first < len(slices); first += step {
			r.piece(c, block, first, slices[first:min(first+step, len(slices))])
		}
	}
	return c
}

// piece draws slices of a block, from the one with a number on, as one.
func (r slicedRun) piece(c *chart.Chart, block, first int, slices []slice) {
	begin, width := float64(first)*r.width, float64(len(slices))*r.width
	if end := begin + width; r.width == 0 || end > r.end {
		width = r.end - begin
	}
	low := 0.0
	for k := range sliceParts {
		share := 0.0
		for _, s := range slices {
			share += s[k] / width
		}
		if share > 0 {
			extend(&c.Series[k], chart.At(float64(block), begin, begin+width, low, min(1, low+share)))
			low += share
		}
	}
}

// extend adds a piece to a timeline. It lengthens the last piece if that has the same height and ends where the
// new one begins.
func extend(s *chart.Series, p chart.Point) {
	if n := len(s.Points); n > 0 {
		if last := s.Points[n-1]; last[0] == p[0] && last[2] == p[1] && last[3] == p[3] && last[4] == p[4] {
			last[2] = p[2]
			return
		}
	}
	s.Points = append(s.Points, p)
}

// stacks are the sums of all slices.
func (r slicedRun) stacks() *chart.Chart {
	c := &chart.Chart{Kind: chart.Stack, X: chart.Axis{Name: "time", Unit: "ms", Scale: chart.Linear}, Y: chart.Axis{Scale: chart.Category, Categories: r.rows.names()}, Series: partSeries()}
	for block, slices := range r.of {
		left := r.end
		for k := range sliceParts {
			sum := 0.0
			for _, s := range slices {
				sum += s[k]
			}
			left -= sum
			c.Series[k].Points = append(c.Series[k].Points, chart.At(float64(block), sum))
		}
		end := &c.Series[len(sliceParts)]
		end.Points = append(end.Points, chart.At(float64(block), max(0, left)))
	}
	return c
}
