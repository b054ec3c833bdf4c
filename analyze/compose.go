package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/internal/reusetime"
	"spoor/analyze/study"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// composing holds the command line of compose.
type composing struct {
	caches     []string
	cacheLines []int64
	rates      []float64
	line, dir  string
	format     *stage.Format
}

func composeCommand(env *stage.Env) *cobra.Command {
	var c composing
	cmd := &cobra.Command{
		Use:  "compose --cache SIZE,... -o DIR DIR...",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return c.compose(env, args) },
	}
	stage.Describe(cmd, helpTexts, "compose")
	f := cmd.Flags()
	f.StringSliceVar(&c.caches, "cache", nil, "`sizes` of the cache in bytes, multiples of a line")
	f.Int64SliceVar(&c.cacheLines, "cache-lines", nil, "sizes of the cache in `lines`")
	f.Float64SliceVar(&c.rates, "rates", nil, "uses of lines per instruction, or per unit of time, for each program, as a `list` (default from the traces)")
	f.StringVar(&c.line, "line", "", "`size` of a line, if the programs were analyzed with several")
	f.StringVarP(&c.dir, "output", "o", "", "`directory` for the results")
	c.format = stage.FormatFlag(f)
	_ = cmd.MarkFlagRequired("output") // the flag exists
	return cmd
}

func (c *composing) compose(env *stage.Env, dirs []string) error {
	if err := c.check(len(dirs)); err != nil {
		return err
	}
	if err := study.CheckOutput(c.dir); err != nil {
		return err
	}
	line, programs, err := c.load(dirs)
	if err != nil {
		return err
	}
	sizes, err := c.sizes(line)
	if err != nil {
		return err
	}
	table := reusetime.SharesTable(line, sizes, dirs, programs, study.Tool)
	if err := study.Save(c.dir, []analysis.Result{{Tables: []*store.Table{table}}}); err != nil {
		return err
	}
	return stage.Print(env.Out, *c.format, table)
}

// check validates the flags as far as possible without the programs.
func (c *composing) check(programs int) error {
	if len(c.caches)+len(c.cacheLines) == 0 {
		return stage.Usage("no cache size; give --cache or --cache-lines")
	}
	for _, n := range c.cacheLines {
		if n < 1 || n > maxCacheLines {
			return stage.Usage("--cache-lines: %d is not a number of lines from 1 to %d", n, int64(maxCacheLines))
		}
	}
	if len(c.rates) > 0 && len(c.rates) != programs {
		return stage.Usage("--rates: %d rates for %d programs; give one for each", len(c.rates), programs)
	}
	for _, r := range c.rates {
		if !(r >= minRate && r <= maxRate) {
			return stage.Usage("--rates: %v is not from %g to %g", r, minRate, maxRate)
		}
	}
	return nil
}

// Limits far above real values and far below the limits of the number types.
const (
	maxCacheLines    = 1 << 48
	minRate, maxRate = 1e-12, 1e12
)

// sizes returns the cache sizes in lines, ascending.
func (c *composing) sizes(line unit.Bytes) ([]int64, error) {
	sizes := slices.Clone(c.cacheLines)
	for _, text := range c.caches {
		b, err := unit.ParseBytes(text)
		if err != nil {
			return nil, stage.Usage("--cache: %w", err)
		}
		if b < line || b%line != 0 || b/line > maxCacheLines {
			return nil, stage.Usage("--cache: %v is not a whole number of lines of %v, from 1 to %d", b, line, int64(maxCacheLines))
		}
		sizes = append(sizes, int64(b/line))
	}
	return kind.Sorted(sizes), nil
}

// load reads all programs, at one line size.
func (c *composing) load(dirs []string) (unit.Bytes, []reusetime.Program, error) {
	var line unit.Bytes
	if c.line != "" {
		lines, err := study.ParseLines([]string{c.line})
		if err != nil {
			return 0, nil, err
		}
		line = lines[0]
	}
	var programs []reusetime.Program
	for i, dir := range dirs {
		r, err := reusetime.Load(dir)
		if err != nil {
			return 0, nil, err
		}
		if line, err = r.LineOf(line, dir); err != nil {
			return 0, nil, err
		}
		p, err := r.Program(line)
		if err != nil {
			return 0, nil, err
		}
		if len(c.rates) > 0 {
			p.Rate = c.rates[i]
		}
		if p.Rate == 0 {
			return 0, nil, fmt.Errorf("%s: the trace counts no instructions; give --rates", dir)
		}
		programs = append(programs, p)
	}
	return line, programs, nil
}
