// Package registry lists the analyses, each with what it does with every row of a trace and with
// its tables, for pages and tests.
package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/analyze/comm"
	"spoor/analyze/footprint"
	"spoor/analyze/internal/coherent"
	"spoor/analyze/internal/filter"
	"spoor/analyze/internal/kind"
	"spoor/analyze/internal/reusetime"
	"spoor/analyze/internal/sharing"
	"spoor/analyze/locality"
	"spoor/analyze/marshal"
	"spoor/analyze/paths"
	"spoor/analyze/phases"
	"spoor/analyze/quanta"
	"spoor/analyze/reuse"
	"spoor/traces/unit"
)

// All returns all analyses, in the order of the help. Their flags have their own values.
func All() []*kind.Kind {
	return []*kind.Kind{
		reuse.Kind(),
		locality.Kind(),
		reusetime.Kind(),
		phases.Kind(),
		marshal.Kind(),
		comm.Kind(),
		paths.Kind(),
		footprint.Kind(),
		quanta.Kind(),
		cache.Kind(),
		sharing.Kind(),
		coherent.Kind(),
	}
}

// A Consumer is an analysis, a simulator or a model, with what it does with every row of a trace.
type Consumer struct {
	Name, By string
	Effects  analysis.Effects
}

// Consumers lists all analyses with their default flags, and their variants.
func Consumers() (list []Consumer, err error) {
	for _, k := range All() {
		for _, v := range append([]kind.Variant{{}}, k.Variants...) {
			a, err := built(k.Name, v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k.Name, err)
			}
			name := k.Name
			if v.Name != "" {
				name += ", " + v.Name
			}
			list = append(list, Consumer{name, "analyze", a.Effects()})
		}
	}
	return append(list, Consumer{"filter", "analyze filter", filter.Effects()}), nil
}

// built returns the analysis of this name as it is without a trace.
func built(name string, v kind.Variant) (analysis.Analysis, error) {
	all := All()
	r := &kind.Request{Run: []string{name}, Lines: []unit.Bytes{64}, First: 64, Interleaved: true, Flags: pflag.NewFlagSet(name, pflag.ContinueOnError)}
	for _, k := range all {
		k.AddTo(r.Flags)
	}
	if v.Flag != "" {
		if err := r.Flags.Set(v.Flag, v.Value); err != nil {
			return nil, err
		}
	}
	return all[slices.IndexFunc(all, func(k *kind.Kind) bool { return k.Name == name })].Build(r)
}

// Tables returns the descriptions of all tables and parameter files of analyses, or of all tables
// that they only print, in the form of predict/internal/reference/tables.txt.
func Tables(printed bool) string {
	var b strings.Builder
	for _, k := range All() {
		for _, section := range strings.Split(strings.TrimSpace(k.Tables), "\n\n") {
			if strings.HasPrefix(section, "printed ") == printed {
				b.WriteString(section + "\n\n")
			}
		}
	}
	return b.String()
}
