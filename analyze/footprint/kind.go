package footprint

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/quanta"
	"spoor/traces/unit"
)

//go:embed help.txt
var helpText string

//go:embed tables.txt
var tablesText string

// Kind describes the analysis.
func Kind() *kind.Kind {
	var o options
	return &kind.Kind{Name: "footprint", Help: helpText, Tables: tablesText,
		PerProc: 84 << 10,
		Shares:  []string{"quantum", "cpi", "refs", "line"},
		Values:  map[string][]string{"footprint-window": {"quantum", "barrier"}},
		Flags:   o.add,
		Build: func(r *kind.Request) (analysis.Analysis, error) {
			window, err := o.cut(r)
			if err != nil {
				return nil, err
			}
			blocks, err := o.blocks(r)
			if err != nil {
				return nil, err
			}
			return &Analysis{Window: window, Refs: r.Refs, Blocks: blocks, Source: r.Source, Tool: r.Tool, Meta: r.Meta}, nil
		}}
}

// options are the flags.
type options struct {
	window, page string
	caches, tlbs []string
}

func (o *options) add(f *pflag.FlagSet) {
	f.StringVar(&o.window, "footprint-window", "quantum", "what ends a `window`: quantum (see --quantum), barrier, or a mean number of data references of each processor, such as 1000refs")
	f.StringSliceVar(&o.caches, "footprint-cache", []string{"2048x1", "512x4"}, "caches with lines of the first --line, as a `list` of sets x ways")
	f.StringVar(&o.page, "footprint-page", "4KiB", "`size` of a page")
	f.StringSliceVar(&o.tlbs, "footprint-tlb", []string{"1x64"}, "TLBs, as a `list` of sets x ways")
}

// cut is what --footprint-window says.
func (o *options) cut(r *kind.Request) (Window, error) {
	switch text, isRefs := strings.CutSuffix(o.window, "refs"); {
	case o.window == "quantum":
		n, err := quanta.Quantum(r)
		return Window{End: Quanta, Length: uint64(n)}, err
	case o.window == "barrier":
		return Window{End: Barriers}, nil
	case isRefs:
		if n, err := strconv.ParseUint(text, 10, 64); err == nil && n >= 1 && n <= maxLength {
			return Window{End: References, Length: n}, nil
		}
	}
	return Window{}, fmt.Errorf("--footprint-window: %q is not quantum, barrier, or a number from 1refs to %drefs", o.window, uint64(maxLength))
}

// blocks are the lines, the first of which are the cache's, and the pages.
func (o *options) blocks(r *kind.Request) (out []Blocks, err error) {
	caches, err := shapesOf("--footprint-cache", o.caches)
	if err != nil {
		return nil, err
	}
	tlbs, err := shapesOf("--footprint-tlb", o.tlbs)
	if err != nil {
		return nil, err
	}
	page, err := unit.ParseBytes(o.page)
	if err != nil {
		return nil, fmt.Errorf("--footprint-page: %w", err)
	}
	if !page.IsPowerOfTwo() || page < 2 {
		return nil, fmt.Errorf("--footprint-page: %v is not a power of two from 2B", page)
	}
	if slices.Contains(r.Lines, page) {
		return nil, fmt.Errorf("--footprint-page: %v is also a size of --line; change one of them, or run footprint separately", page)
	}
	for _, line := range r.Lines {
		b := Blocks{Size: line}
		if line == r.First {
			b.Name, b.Shapes = "cache", caches
		}
		if line < 2 {
			return nil, fmt.Errorf("--line: footprint needs lines of 2B or more")
		}
		out = append(out, b)
	}
	return append(out, Blocks{Name: "tlb", Size: page, Shapes: tlbs}), nil
}

func shapesOf(flag string, texts []string) (out []Shape, err error) {
	shapes, err := kind.ParseShapes(flag, texts)
	for _, s := range shapes {
		out = append(out, Shape(s))
	}
	return out, err
}
