// Package coverage counts the parameters of further runs that lie in the 95 % intervals of a first run, to test the intervals.
package coverage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/param"
	"spoor/traces/store"
)

// kindOf returns the kind of a parameter, under which it is counted.
func kindOf(name string) string {
	kind, _, _ := strings.Cut(name, "_")
	return kind
}

// count has the numbers of parameters of one kind.
type count struct {
	kind                      string
	compared, inside, missing int64
	outside                   []string
}

func (c *count) take(p, q param.Param, known bool) {
	switch {
	case !known || !p.HasInterval():
		c.missing++
	case p.Lo <= q.Value && q.Value <= p.Hi:
		c.compared, c.inside = c.compared+1, c.inside+1
	default:
		c.compared, c.outside = c.compared+1, append(c.outside, p.Name)
	}
}

// coverageOf counts the parameters of another run that are inside the intervals of the first, by kind and in all.
func coverageOf(first, again *param.Set) (list []*count, err error) {
	of := map[string]*count{}
	all := &count{kind: "all"}
	for _, p := range first.All() {
		q, known := alike(p, again)
		if known && q.Unit != p.Unit {
			return nil, fmt.Errorf("parameter %s has the units %q and %q", p.Name, p.Unit, q.Unit)
		}
		kind := kindOf(p.Name)
		if of[kind] == nil {
			of[kind] = &count{kind: kind}
			list = append(list, of[kind])
		}
		of[kind].take(p, q, known)
		all.take(p, q, known)
	}
	if all.compared == 0 {
		return nil, fmt.Errorf("no parameter with an interval is in both")
	}
	return append(list, all), nil
}

// Names of parameters of a class of sizes, and the sizes in their method.
var (
	classed = regexp.MustCompile(`^(loggp_|[a-z]+_loggp_)(g|G|half|perbyte|duplex|duplexperbyte)_[0-9]+(-.*)?$`)
	sizesOf = regexp.MustCompile(`class [0-9]+ of [0-9]+, sizes ([0-9]+) to ([0-9]+);`)
)

// alike returns the parameter of another run that corresponds to p: the one of the same name. For a class of sizes
// it is that of the class with p's middle size.
func alike(p param.Param, again *param.Set) (param.Param, bool) {
	name := classed.FindStringSubmatch(p.Name)
	first, last, is := sizes(p)
	if name == nil || !is {
		return again.Lookup(p.Name)
	}
	middle := math.Sqrt(first * last)
	for _, q := range again.All() {
		other := classed.FindStringSubmatch(q.Name)
		if other == nil || !slices.Equal(other[1:], name[1:]) {
			continue
		}
		if from, upto, is := sizes(q); is && from <= middle && middle <= upto {
			return q, true
		}
	}
	return param.Param{}, false
}

// sizes returns the first and the last size of the class of p.
func sizes(p param.Param) (first, last float64, is bool) {
	m := sizesOf.FindStringSubmatch(p.Method)
	if m == nil {
		return 0, 0, false
	}
	first, err1 := strconv.ParseFloat(m[1], 64)
	last, err2 := strconv.ParseFloat(m[2], 64)
	return first, last, err1 == nil && err2 == nil
}

// Coverage has a row for each kind and run.
type Coverage struct {
	again, kinds, outside     []string
	compared, inside, missing []int64
	share                     []float64
}

// Add counts the parameters of another run, of which path names the file.
func (c *Coverage) Add(path string, first, again *param.Set) error {
	list, err := coverageOf(first, again)
	if err != nil {
		return err
	}
	for _, one := range list {
		c.again, c.kinds = append(c.again, path), append(c.kinds, one.kind)
		c.compared, c.inside, c.missing = append(c.compared, one.compared), append(c.inside, one.inside), append(c.missing, one.missing)
		c.share = append(c.share, 100*float64(one.inside)/float64(one.compared)) // NaN if nothing was compared
		names := one.outside
		if one.kind == "all" {
			names = nil // listed in the rows of their kinds
		}
		c.outside = append(c.outside, strings.Join(names, ", "))
	}
	return nil
}

// Table returns the table.
func (c *Coverage) Table() *store.Table {
	return &store.Table{Name: "coverage", Columns: []store.Column{
		{Name: "again", Data: c.again}, {Name: "kind", Data: c.kinds}, {Name: "compared", Data: c.compared}, {Name: "inside", Data: c.inside},
		{Name: "share", Unit: "%", Data: c.share}, {Name: "not_compared", Data: c.missing}, {Name: "outside", Data: c.outside}}}
}
