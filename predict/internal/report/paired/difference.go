package paired

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/predict/internal/report/numeral"
)

// maxNamed is the largest number of values that a message names.
const maxNamed = 4

// Apart says why two tables have no row in common, and what to do.
func Apart(first, second []Row) error {
	for _, f := range []struct {
		name, do string
		of       func(Row) string
	}{
		{"programs", "compare tables of one program", func(r Row) string { return r.Program }},
		{"machines", "name the same machine in both, or give both machines to one predict replay or cluster", func(r Row) string { return r.Machine }},
		{"numbers of processors", "predict or simulate the same numbers", func(r Row) string { return strconv.Itoa(r.Processors) }},
		{"models", "predict both with one --model", func(r Row) string { return r.Model }},
	} {
		a, b := values(first, f.of), values(second, f.of)
		if !slices.ContainsFunc(a, func(v string) bool { return slices.Contains(b, v) }) {
			return fmt.Errorf("the tables have different %s (%s; %s); %s", f.name, named(a), named(b), f.do)
		}
	}
	return fmt.Errorf("no row of the first table has the program, machine and processors of one of the second; see the notes")
}

// onlyIn notes the rows of a table that the other one does not have.
func onlyIn(which string, table, other []Row) (notes []string) {
	for _, r := range table {
		if !slices.ContainsFunc(other, func(o Row) bool { return o.Key() == r.Key() && o.Model == r.Model }) {
			notes = append(notes, fmt.Sprintf("%s, %s: only in the %s table", r.Program, r.Place(), which))
		}
	}
	return notes
}

// values returns the different values of rows, sorted.
func values(rows []Row, of func(Row) string) (all []string) {
	for _, r := range rows {
		all = append(all, of(r))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// named lists the first few values.
func named(all []string) string {
	if n := len(all) - maxNamed; n > 0 {
		return strings.Join(all[:maxNamed], ", ") + " and " + numeral.Plural(n, "other")
	}
	return strings.Join(all, ", ")
}
