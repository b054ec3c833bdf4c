package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tables are what pages show, by study and name of the part. print prints nothing if its rows are not there. Those that are alone
// are printed only by name.
var tables = []struct {
	study, part string
	alone       bool
	print       func(*markdown, []row)
}{
	{"quickstart", "errors", false, quickstartErrors},
	{"quickstart", "sentences", true, quickstartSentences},
	{"dickens1996", "times", false, func(m *markdown, rows []row) { timesOn(m, rows, "16") }},
	{"dickens1996", "times-64", true, func(m *markdown, rows []row) { timesOn(m, rows, "64") }},
	{"dickens1996", "windows", false, windows},
	{"du2000", "errors", false, clusterErrors},
	{"du2000", "clusters", false, clusterSentence},
	{"du2000", "unequal", false, unequalNodes},
	{"du2000", "unequal-mean", false, unequalSentence},
	{"du2000", "coherence", false, coherence},
	{"du2000", "others", true, otherPrograms},
	{"du2000", "deep", true, deepCaches},
	{"du2000", "fetched", true, fetched},
	{"falsafi1997", "trace", false, func(m *markdown, rows []row) { hosts(m, rows, false) }},
	{"falsafi1997", "simulated", false, func(m *markdown, rows []row) { hosts(m, rows, true) }},
	{"falsafi1997", "intervals", true, hostIntervals},
	{"falsafi1997", "together", true, together},
	{"hur1999", "gains", false, gains},
	{"hur1999", "sentences", true, gainSentences},
	{"hur1999", "intervals", true, messageIntervals},
	{"sivasubramaniam1995", "differences", false, differences},
	{"sivasubramaniam1995", "programs", false, programs32},
	{"sivasubramaniam1995", "contention", false, contentionSentence},
	{"calibration", "exposed", true, exposed},
}

// printTables prints tables. Its arguments are STUDY or STUDY.PART, and files with the rows; - is the standard input.
func printTables(args []string, out io.Writer) error {
	if len(args) < 2 {
		return fmt.Errorf("give STUDY[.PART] FILE")
	}
	rows, err := readRows(args[1:])
	if err != nil {
		return err
	}
	study, part, _ := strings.Cut(args[0], ".")
	known, printed := false, false
	for _, t := range tables {
		if t.study != study || part != t.part && (part != "" || t.alone) {
			continue
		}
		known = true
		var m markdown
		if t.print(&m, rows); m.Len() > 0 && printed {
			fmt.Fprintln(out)
		}
		printed = printed || m.Len() > 0
		io.WriteString(out, m.String())
	}
	if !known {
		return fmt.Errorf("there is no table %s", args[0])
	}
	return nil
}

// row is a row of a table. Lines of heads begin a table anew.
type row struct {
	at    map[string]int
	cells []string
}

// heads matches a line of heads that is not the first one.
var heads = regexp.MustCompile(`^(program|experiment|operation|dataset|quantity)[,\t]`)

// readRows reads tables of tab-separated (.tsv) or comma-separated values.
func readRows(files []string) (rows []row, err error) {
	for _, file := range files {
		text, err := io.ReadAll(os.Stdin)
		if file != "-" {
			text, err = os.ReadFile(file)
		}
		if err != nil {
			return nil, err
		}
		comma := ","
		if filepath.Ext(file) == ".tsv" {
			comma = "\t"
		}
		var at map[string]int
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), comma)
			if strings.HasPrefix(line, "#") {
				continue
			}
			if at != nil && !heads.MatchString(line) {
				rows = append(rows, row{at, cells})
				continue
			}
			at = map[string]int{}
			for i, name := range cells {
				at[name] = i
			}
		}
	}
	return rows, nil
}

// having returns the rows of tables with a column.
func having(rows []row, column string) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { _, ok := r.at[column]; return !ok })
}

// text returns the cell of a column, and "" if there is none.
func (r row) text(column string) string {
	if i, ok := r.at[column]; ok && i < len(r.cells) {
		return r.cells[i]
	}
	return ""
}

// number returns the number in a column, and 0 if there is none.
func (r row) number(column string) float64 {
	x, _ := strconv.ParseFloat(r.text(column), 64)
	return x
}

// program returns the name of the program without its arguments.
func (r row) program() string {
	name, _, _ := strings.Cut(r.text("program"), " ")
	name, _, _ = strings.Cut(name, ".")
	return name
}

// markdown is a page in the making.
type markdown struct{ strings.Builder }

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// heads begins a table.
func (m *markdown) heads(cells ...string) {
	m.row(cells...)
	m.printf("|%s\n", strings.Repeat("---|", len(cells)))
}

func (m *markdown) row(cells ...string) {
	line := "| " + strings.Join(cells, " | ") + " |\n"
	m.WriteString(strings.ReplaceAll(line, "|  |", "| |"))
}

// each adds a row of a label and a cell for each name.
func (m *markdown) each(label string, names []string, cell func(name string) string) {
	cells := []string{label}
	for _, name := range names {
		cells = append(cells, cell(name))
	}
	m.row(cells...)
}

// errorsOf sums up errors in %.
type errorsOf struct {
	rows, near int // near: within 5 %
	sum, worst float64
}

// add reports whether the error is the worst.
func (e *errorsOf) add(percent float64) bool {
	percent = math.Abs(percent)
	e.rows++
	e.sum += percent
	if percent <= 5 {
		e.near++
	}
	worst := percent > e.worst
	e.worst = max(e.worst, percent)
	return worst
}

func (e *errorsOf) mean() float64 { return e.sum / float64(e.rows) }

// groups are errors by name, in the order in which names come.
type groups struct {
	names []string
	of    map[string]*errorsOf
}

func (g *groups) get(name string) *errorsOf {
	if g.of == nil {
		g.of = map[string]*errorsOf{}
	}
	if g.of[name] == nil {
		g.of[name] = &errorsOf{}
		g.names = append(g.names, name)
	}
	return g.of[name]
}

// short prints a number with two digits, and more if they stand before the point.
func short(x float64) string {
	if math.Abs(x) < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// distinct returns the values of a cell in the order in which they come.
func distinct(rows []row, cell func(row) string) (values []string) {
	for _, r := range rows {
		if v := cell(r); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}
