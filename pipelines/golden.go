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
	table, name  string
	heads, cells []string
}

func (r goldenRow) id() string { return r.table + "\n" + r.name }

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

// rows reads tables. It also returns the rows by their id.
func (s goldenSettings) rows(text string) (rows []goldenRow, byID map[string]goldenRow) {
	byID = map[string]goldenRow{}
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
		if id := r.id(); seen[id] > 0 {
			r.name += fmt.Sprintf(" (row %d of that name)", seen[id]+1)
			seen[id]++
		} else {
			seen[id] = 1
		}
		rows, byID[r.id()] = append(rows, r), r
	}
	return rows, byID
}

// compareGolden says what differs, and reports whether nothing does.
func compareGolden(study, expected, actual string, out io.Writer) bool {
	s := readSettings(expected)
	want, wantByID := s.rows(expected)
	got, gotByID := s.rows(actual)
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	differs := s.compare(want, got, wantByID, say)
	for _, r := range want {
		if gotByID[r.id()].heads == nil {
			say("%s: this row is missing", r.name)
		}
	}
	complainOfOrder(want, got, wantByID, gotByID, say)
	complaints := len(said)
	if complaints > 20 {
		said = said[:20]
		say("and %d more", complaints-20)
		for _, name := range slices.Sorted(maps.Keys(differs)) {
			say("%s differs in %d rows of %d", name, differs[name], len(want))
		}
	}
	if complaints == 0 {
		say("%d rows as expected", len(want))
	} else {
		say("%d differences to expected.tsv; if they are right, review and keep them with make accept", complaints)
	}
	for _, line := range said {
		fmt.Fprintf(out, "golden: %s: %s\n", study, line)
	}
	return complaints == 0
}

// compare compares the rows that there are with those that are expected. It returns how many rows differ in each column.
func (s goldenSettings) compare(want, got []goldenRow, wantByID map[string]goldenRow, say func(string, ...any)) map[string]int {
	differs := map[string]int{}
	heads := map[string][]string{} // of the tables that are expected
	for _, r := range want {
		heads[r.table] = r.heads
	}
	told := map[string]bool{}
	for _, r := range got {
		if wanted := heads[r.table]; wanted != nil && !told[r.table] {
			told[r.table] = true
			for _, name := range without(wanted, r.heads) {
				say("column %s is missing", name)
			}
			for _, name := range without(r.heads, wanted) {
				say("column %s is not expected", name)
			}
		}
		w := wantByID[r.id()]
		if w.heads == nil {
			say("%s: this row is not expected", r.name)
		}
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

// complainOfOrder compares the rows that both have, and tells of the first that is elsewhere.
func complainOfOrder(want, got []goldenRow, wantByID, gotByID map[string]goldenRow, say func(string, ...any)) {
	got = slices.DeleteFunc(slices.Clone(got), func(r goldenRow) bool { return wantByID[r.id()].heads == nil })
	want = slices.DeleteFunc(slices.Clone(want), func(r goldenRow) bool { return gotByID[r.id()].heads == nil })
	for i, r := range want {
		if got[i].id() != r.id() {
			say("rows are in another order: %s stands where %s is expected", got[i].name, r.name)
			return
		}
	}
}
