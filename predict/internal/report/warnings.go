package report

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spoor/predict/internal/report/paired"
)

// warning is one kind of warning. Warnings that differ only in numbers are of one kind.
type warning struct {
	Text string   // with a range "1.2 to 3.4" for each number that differs
	Of   []string // the predictions that have it
}

// warnings collects the warnings of all predictions by kind, most frequent first.
func warnings(c *paired.Comparison) []warning {
	var list []warning
	texts := map[string][]string{} // by kind
	for _, k := range c.Cases {
		for _, r := range k.Predicted {
			for _, text := range r.Warnings {
				kind := figures.ReplaceAllString(text, "#")
				if texts[kind] == nil {
					list = append(list, warning{Text: kind})
				}
				texts[kind] = append(texts[kind], text)
				i := slices.IndexFunc(list, func(w warning) bool { return w.Text == kind })
				list[i].Of = append(list[i].Of, r.Model+" for "+k.Name())
			}
		}
	}
	for i := range list {
		list[i].Text = withRanges(texts[list[i].Text])
	}
	slices.SortStableFunc(list, func(a, b warning) int { return cmp.Compare(len(b.Of), len(a.Of)) })
	return list
}

// figures matches the numbers of a text. A digit within a name, as in `du2000`, is not one.
var figures = regexp.MustCompile(`(?:^|\b)[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?\b`)

// withRanges returns the common text of all texts, with a range for each number that differs.
func withRanges(texts []string) string {
	numbers := make([][]string, len(texts))
	for i, text := range texts {
		numbers[i] = figures.FindAllString(text, -1)
	}
	n := -1
	return figures.ReplaceAllStringFunc(texts[0], func(own string) string {
		n++
		lo, hi := own, own
		for _, list := range numbers {
			if value(list[n]) < value(lo) {
				lo = list[n]
			}
			if value(list[n]) > value(hi) {
				hi = list[n]
			}
		}
		if lo == hi {
			return own
		}
		return strings.Join([]string{lo, hi}, " to ")
	})
}

// value is the number that figures matched.
func value(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64) // by its form it is a number
	return v
}
