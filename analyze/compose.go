package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spoor/analyze/analysis"
	"spoor/analyze/reusetime"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
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
		Use:   "compose --cache SIZE,... -o DIR DIR...",
		Short: "predict the misses of programs that share a cache, from their reuse times",
		Long: `Compose predicts how often each program misses when several programs share a fully associative LRU cache. Each
DIR argument holds the results of 'analyze --run reuse_time' for one program. Name it twice for two copies.

Model [xiang2013]: the cache holds the lines of the last T instructions. T is chosen so that the mean
footprints of the programs in T add up to the size of the cache. Each program misses as if it were alone in
its part. Assumptions: the programs run all the time, execute the same number of instructions (else give
--rates), are evenly interleaved, and share no lines. A program of several processors runs on all of them, in
its interleaved order.

Table compose.arrow, by cache and program:
  cache           lines of the cache
  program         number of the program, from 0; -1: all programs together
  name            its directory
  rate            its uses of lines per instruction
  window          its uses in T instructions; all its uses if everything fits
  occupied        lines of the cache that it occupies on average: its natural partition [brock2015]
  alone           its miss ratio with the whole cache to itself, by the same model
  shared          its miss ratio with the other programs`,
		Example: "  $ tracegen fft --set points=1024 -o fft\n  $ tracegen lu --set n=64 -o lu\n" +
			"  $ analyze --run reuse_time -o fft.times fft\n  $ analyze --run reuse_time -o lu.times lu\n" +
			"  $ analyze compose --cache 4KiB,32KiB -o both fft.times lu.times",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return c.compose(env, args) },
	}
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
	if err := checkOutput(c.dir); err != nil {
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
	t := shares{line: line}
	for _, size := range sizes {
		t.add(size, dirs, programs)
	}
	table := t.table()
	if err := save(c.dir, []analysis.Result{{Tables: []*store.Table{table}}}); err != nil {
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
	return sorted(sizes), nil
}

// load reads all programs, at one line size.
func (c *composing) load(dirs []string) (unit.Bytes, []reusetime.Program, error) {
	var line unit.Bytes
	if c.line != "" {
		lines, err := parseLines([]string{c.line})
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
		if line, err = lineOf(r, line, dir); err != nil {
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

// lineOf returns want if the directory has that line size. If want is 0, it returns the only line size.
func lineOf(r *reusetime.Results, want unit.Bytes, dir string) (unit.Bytes, error) {
	sizes, err := r.LineSizes()
	if err != nil {
		return 0, err
	}
	var names []string
	for _, s := range sizes {
		names = append(names, s.String())
	}
	switch have := strings.Join(names, ", "); {
	case len(sizes) == 0:
		return 0, fmt.Errorf("%s: the program has no loads or stores", dir)
	case want == 0 && len(sizes) > 1:
		return 0, fmt.Errorf("%s has lines of %s; choose one with --line", dir, have)
	case want == 0:
		return sizes[0], nil
	case !slices.Contains(sizes, want):
		return 0, fmt.Errorf("%s has lines of %s, not of %v; analyze all programs with the same --line", dir, have, want)
	}
	return want, nil
}

// shares holds the columns of the table compose, sorted by size and program.
type shares struct {
	line                                  unit.Bytes
	cache                                 []int64
	program                               []int32
	name                                  []string
	rate, window, occupied, alone, shared []float64
}

// together is the program number of all programs together.
const together int32 = -1

// add predicts the misses in a cache of the given number of lines.
func (s *shares) add(cache int64, dirs []string, programs []reusetime.Program) {
	var rate, occupied, alone, shared, window float64
	for i, r := range reusetime.Compose(programs, float64(cache)) {
		p := programs[i]
		own := p.HOTL(float64(cache))
		s.row(cache, int32(i), dirs[i], p.Rate, r.Window, r.Lines, own, r.Miss)
		rate += p.Rate
		window += r.Window
		occupied += r.Lines
		alone += p.Rate * own
		shared += p.Rate * r.Miss
	}
	s.row(cache, together, "(all)", rate, window, occupied, alone/rate, shared/rate)
}

func (s *shares) row(cache int64, program int32, name string, rate, window, occupied, alone, shared float64) {
	s.cache, s.program, s.name = append(s.cache, cache), append(s.program, program), append(s.name, name)
	s.rate, s.window, s.occupied = append(s.rate, rate), append(s.window, window), append(s.occupied, occupied)
	s.alone, s.shared = append(s.alone, alone), append(s.shared, shared)
}

func (s *shares) table() *store.Table {
	return &store.Table{Name: "compose", Meta: []trace.Arg{{Key: "line", Value: s.line.String()}, {Key: "tool", Value: tool}}, Columns: []store.Column{
		{Name: "cache", Unit: "lines", Data: s.cache},
		{Name: "program", Data: s.program},
		{Name: "name", Data: s.name},
		{Name: "rate", Data: s.rate},
		{Name: "window", Unit: "uses", Data: s.window},
		{Name: "occupied", Unit: "lines", Data: s.occupied},
		{Name: "alone", Data: s.alone},
		{Name: "shared", Data: s.shared},
	}}
}
