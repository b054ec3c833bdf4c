package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// golden holds tables to those in an expected.tsv. Its arguments are STUDY EXPECTED ACTUAL. Lines of EXPECTED say how:
//
//	# key: program machine processors         columns that name a row; each table has some of them
//	# tolerance 0.1%: simulated predicted     how far numbers in columns of these names may be off,
//	# tolerance 0.1: error                    relatively or absolutely
//
// All else must be the same. Rows are found by their key, so that one that is missing says nothing of the others.
// Tables with the same columns in their keys are one.
func golden(args []string, out io.Writer) error {
	if len(args) != 3 {
		return fmt.Errorf("give STUDY EXPECTED ACTUAL")
	}
	expected, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	actual, err := os.ReadFile(args[2])
	if err == nil && !compareGolden(args[0], string(expected), string(actual), out) {
		err = errDiffers
	}
	return err
}

// goldenRow is a row of a table. Its name is its cells in the columns of keys. Its table is the names of these columns.
type goldenRow struct {
	table, name, id string // id: both
	heads, cells    []string
}

// goldenRows are the rows of a file, in its order and by id.
type goldenRows struct {
	all  []goldenRow
	byID map[string]goldenRow
}

func (r goldenRows) has(id string) bool { _, ok := r.byID[id]; return ok }

// of returns those that others have, too.
func (r goldenRows) of(others goldenRows) []goldenRow {
	return slices.DeleteFunc(slices.Clone(r.all), func(r goldenRow) bool { return !others.has(r.id) })
}

// goldenSettings are the keys, and the tolerances by column.
type goldenSettings struct {
	keys   map[string]bool
	limits map[string]string
}

func readSettings(text string) goldenSettings {
	s := goldenSettings{map[string]bool{}, map[string]string{}}
	for line := range strings.Lines(text) {
		head, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, name := range strings.Fields(names) {
			if limit, ok := strings.CutPrefix(head, "# tolerance "); ok {
				s.limits[name] = limit
			} else if head == "# key" {
				s.keys[name] = true
			}
		}
	}
	return s
}

// rows reads tables.
func (s goldenSettings) rows(text string) goldenRows {
	rows := goldenRows{byID: map[string]goldenRow{}}
	seen := map[string]int{}
	var heads []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if s.keys[cells[0]] && !strings.ContainsAny(line, "0123456789") {
			heads = cells
			continue
		}
		r := goldenRow{heads: heads, cells: cells[:min(len(cells), len(heads))]}
		for i, cell := range r.cells {
			if s.keys[heads[i]] {
				r.table += " " + heads[i]
				r.name += ", " + heads[i] + " " + cell
			}
		}
		r.name = strings.TrimPrefix(r.name, ", ")
		r.id = r.table + "\n" + r.name
		if seen[r.id]++; seen[r.id] > 1 {
			again := fmt.Sprintf(" (row %d of that name)", seen[r.id])
			r.name, r.id = r.name+again, r.id+again
		}
		rows.all, rows.byID[r.id] = append(rows.all, r), r
	}
	return rows
}

// compareGolden says what differs, and reports whether nothing does.
func compareGolden(study, expected, actual string, out io.Writer) bool {
	s := readSettings(expected)
	want, got := s.rows(expected), s.rows(actual)
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	differs := s.compare(want, got, say)
	for _, r := range want.all {
		if !got.has(r.id) {
			say("%s: this row is missing", r.name)
		}
	}
	there := got.of(want)
	for i, r := range want.of(got) {
		if there[i].id != r.id {
			say("rows are in another order: %s stands where %s is expected", there[i].name, r.name)
			break
		}
	}
	complaints := len(said)
	if complaints > 20 {
		said = said[:20]
		say("and %d more", complaints-20)
		for _, name := range slices.Sorted(maps.Keys(differs)) {
			say("%s differs in %d rows of %d", name, differs[name], len(want.all))
		}
	}
	if complaints == 0 {
		say("%d rows as expected", len(want.all))
	} else {
		say("%d differences to expected.tsv; if they are right, review and keep them with make accept", complaints)
	}
	for _, line := range said {
		fmt.Fprintf(out, "golden: %s: %s\n", study, line)
	}
	return complaints == 0
}

// compare compares the rows that there are with those that are expected. It returns how many rows differ in each column.
func (s goldenSettings) compare(want, got goldenRows, say func(string, ...any)) map[string]int {
	differs := map[string]int{}
	heads := map[string][]string{} // of the tables that are expected and not compared yet
	for _, r := range want.all {
		heads[r.table] = r.heads
	}
	for _, r := range got.all {
		if wanted := heads[r.table]; wanted != nil {
			delete(heads, r.table)
			for _, name := range without(wanted, r.heads) {
				say("column %s is missing", name)
			}
			for _, name := range without(r.heads, wanted) {
				say("column %s is not expected", name)
			}
		}
		if !want.has(r.id) {
			say("%s: this row is not expected", r.name)
		}
		w := want.byID[r.id]
		for i, cell := range r.cells {
			name := r.heads[i]
			j := slices.Index(w.heads, name)
			if j < 0 || j >= len(w.cells) || !off(cell, w.cells[j], s.limits[name]) {
				continue
			}
			within := ""
			if s.limits[name] != "" {
				within = ", within " + s.limits[name]
			}
			say("%s: %s is %s, and %s is expected%s", r.name, name, cell, w.cells[j], within)
			differs[name]++
		}
	}
	return differs
}

// without returns the names that are not among the others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// off reports whether a cell is further from what is expected than a limit such as 0.1 or 0.1%.
func off(got, want, limit string) bool {
	g, notG := strconv.ParseFloat(got, 64)
	w, notW := strconv.ParseFloat(want, 64)
	numbers := notG == nil && notW == nil && !math.IsNaN(g+w)
	if got == want || numbers && g == w {
		return false
	}
	share, relative := strings.CutSuffix(limit, "%")
	allowed, err := strconv.ParseFloat(share, 64)
	if relative {
		allowed *= math.Abs(w) / 100
	}
	return err != nil || !numbers || math.Abs(g-w) > allowed
}
