package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/param"
	"spoor/traces/stage"
	"spoor/traces/store"
)

func compareCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare FIRST.params.toml AGAIN.params.toml...",
		Short: "count the parameters of other runs that lie in the intervals of the first",
		Long:  compareLong,
		Example: "  $ calibrate fit data/sample/transfers.csv -o one\n" +
			"  $ calibrate fit data/sample/transfers.csv --seed 2 -o two\n" +
			"  $ calibrate compare one.params.toml two.params.toml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("give two files or more: of the first run and of others")
			}
			return nil
		},
	}
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(_ *cobra.Command, paths []string) error {
		first, err := readParams(paths[0])
		if err != nil {
			return err
		}
		var all coverage
		for _, path := range paths[1:] {
			again, err := readParams(path)
			if err != nil {
				return err
			}
			one, err := coverageOf(first, again)
			if err != nil {
				return fmt.Errorf("%s and %s: %w", paths[0], path, err)
			}
			all.add(path, one)
		}
		return stage.Print(env.Out, *format, all.table())
	}
	return cmd
}

// compareLong is the help of the command.
const compareLong = "Compare tests the 95 % intervals: another run of the same measurements should find 95 of 100 parameters inside.\n" +
	"Run the same command several times on a host in the same state, and compare the files. Compare prints a row for\n" +
	"each kind of parameter (the part of the name before the first _), and one for all. It counts\n" +
	"parameters that it cannot compare: those without interval, or absent from the other run. Where sizes were\n" +
	"divided into classes, it compares a class with the one that contains its middle size."

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

// coverage has a row for each kind and run.
type coverage struct {
	again, kinds, outside     []string
	compared, inside, missing []int64
	share                     []float64
}

func (c *coverage) add(path string, list []*count) {
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
}

func (c *coverage) table() *store.Table {
	return &store.Table{Name: "coverage", Columns: []store.Column{
		{Name: "again", Data: c.again}, {Name: "kind", Data: c.kinds}, {Name: "compared", Data: c.compared}, {Name: "inside", Data: c.inside},
		{Name: "share", Unit: "%", Data: c.share}, {Name: "not_compared", Data: c.missing}, {Name: "outside", Data: c.outside}}}
}
