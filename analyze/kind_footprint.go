package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/footprint"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// footprintFlags are what footprints are measured of.
type footprintFlags struct {
	window, page string
	caches, tlbs []string
}

func footprintKind(q *quantumFlags) *kind {
	var o footprintFlags
	return &kind{name: "footprint",
		columns: footprint.Columns,
		perProc: 84 << 10,
		shares:  []string{"quantum", "cpi", "refs"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.window, "footprint-window", "quantum", "what ends a `window`: quantum (see --quantum), barrier, or a mean number of data references of each processor, such as 1000refs")
			f.StringSliceVar(&o.caches, "footprint-cache", []string{"2048x1", "512x4"}, "caches with lines of the first --line, as a `list` of sets x ways")
			f.StringVar(&o.page, "footprint-page", "4KiB", "`size` of a page")
			f.StringSliceVar(&o.tlbs, "footprint-tlb", []string{"1x64"}, "TLBs, as a `list` of sets x ways")
		},
		build: func(r *request) (analysis.Analysis, error) {
			window, err := o.cut(q)
			if err != nil {
				return nil, err
			}
			blocks, err := o.blocks(r)
			if err != nil {
				return nil, err
			}
			return &footprint.Analysis{Window: window, Refs: r.refs, Blocks: blocks, Source: r.source, Tool: tool, Meta: r.meta}, nil
		}}
}

// cut is what --footprint-window says.
func (o *footprintFlags) cut(q *quantumFlags) (footprint.Window, error) {
	switch text, isRefs := strings.CutSuffix(o.window, "refs"); {
	case o.window == "quantum":
		n, err := q.length()
		return footprint.Window{End: footprint.Quanta, Length: uint64(n)}, err
	case o.window == "barrier":
		return footprint.Window{End: footprint.Barriers}, nil
	case isRefs:
		if n, err := strconv.ParseUint(text, 10, 64); err == nil && n >= 1 && n <= footprint.MaxLength {
			return footprint.Window{End: footprint.References, Length: n}, nil
		}
	}
	return footprint.Window{}, stage.Usage("--footprint-window: %q is not quantum, barrier, or a number from 1refs to %drefs", o.window, uint64(footprint.MaxLength))
}

// blocks are the lines, the first of which are the cache's, and the pages.
func (o *footprintFlags) blocks(r *request) (out []footprint.Blocks, err error) {
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
		return nil, stage.Usage("--footprint-page: %w", err)
	}
	if !page.IsPowerOfTwo() || page < 2 {
		return nil, stage.Usage("--footprint-page: %v is not a power of two from 2B", page)
	}
	if slices.Contains(r.lines, page) {
		return nil, stage.Usage("--footprint-page: %v is also a size of --line; change one of them, or run footprint separately", page)
	}
	for _, line := range r.lines {
		b := footprint.Blocks{Size: line}
		if line == r.first {
			b.Name, b.Shapes = "cache", caches
		}
		if line < 2 {
			return nil, stage.Usage("--line: footprint needs lines of 2B or more")
		}
		out = append(out, b)
	}
	return append(out, footprint.Blocks{Name: "tlb", Size: page, Shapes: tlbs}), nil
}
