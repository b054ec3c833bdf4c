package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/internal/lines"
	"spoor/analyze/internal/slicing"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// onlyMessages reports whether all chosen analyses need events only.
func (s *Settings) onlyMessages() bool {
	for _, k := range s.chosen() {
		if k.Subject != kind.Messages {
			return false
		}
	}
	return true
}

// measure runs the analyses and shows progress by references.
func (o *Options) measure(ctx context.Context, env *stage.Env, src *store.Trace, kept *part, analyses []analysis.Analysis) ([]analysis.Result, error) {
	procs := orAll(kept.procs, src.Header().Procs)
	if err := cmp.Or(o.checkCaches(src, procs), o.checkHost(src, procs, nil)); err != nil { // before state is made
		return nil, err
	}
	orders := analysis.Orders(src.Header(), kept.procs, analyses...)
	total := refsOf(src, orders)
	if err := cmp.Or(o.checkMemory(src.Header().Procs, orders, total), o.checkHost(src, procs, orders)); err != nil {
		return nil, err
	}
	if total == 0 && !o.onlyMessages() {
		env.Note("the trace has no references; --run %s analyzes its messages", strings.Join(kind.Sorted(o.ofMessages()), ","))
	}
	if src.Header().Procs > 1 && !src.HasEvents() {
		env.Note("the trace has no %s file; processors are assumed never to wait, not even at barriers and locks", store.EventsSuffix)
	}
	lines.Limit(mostPlaces(total, len(orders)*len(o.line)))
	part := slicing.Source{Trace: src, Slice: kept.slice}
	bar := env.Progress("analyzing", int64(total/uint64(max(kept.slice.Of, 1))), "refs")
	defer bar.Done()
	run := analysis.Options{Procs: kept.procs, Refs: refSets[o.refs], Progress: bar.Add}
	run.Rows = new(analysis.Rows)
	if kept.procs != nil {
		run.OnEnd = kept.keep
	}
	if !kept.slice.IsWhole() {
		run.FirstRow = part.FirstRow
	}
	var skipped []error
	run.OnSkip = o.skipping(&skipped)
	results, err := stage.Interruptible(ctx, func() ([]analysis.Result, error) { return analysis.Run(ctx, part, run, analyses...) })
	if err != nil {
		return nil, orWithout(err)
	}
	results = o.skip(env, results, skipped)
	noteIgnored(env, src.Header(), run.Rows, orders, analyses)
	warn(env, results)
	return results, nil
}

// refsOf returns the number of references that the orders read.
func refsOf(src *store.Trace, orders []trace.Proc) (total uint64) {
	for _, order := range orders {
		if order != trace.Interleaved {
			total += src.Totals(order).Refs
			continue
		}
		for p := range trace.Proc(src.Header().Procs) {
			total += src.Totals(p).Refs
		}
	}
	return total
}

// mostPlaces returns the maximum number of lines in a table, so that the memory of all tables is limited by the
// number of references: references of ordinary size touch far fewer lines.
func mostPlaces(refs uint64, tables int) int64 {
	const (
		few     = 1 << 23 // half a GB
		eachRef = 32
	)
	return max(few/int64(max(tables, 1)), eachRef*int64(min(refs, math.MaxInt64/eachRef)))
}

// skipping returns a function that collects why analyses are skipped: with --run all. Otherwise it returns nil.
func (s *Settings) skipping(why *[]error) func(error) {
	if !s.all {
		return nil
	}
	return func(err error) { *why = append(*why, err) }
}

// skip removes the analyses without a result from those that are chosen, and prints why they have none.
func (s *Settings) skip(env *stage.Env, results []analysis.Result, why []error) (kept []analysis.Result) {
	if len(why) == 0 {
		return results
	}
	var names []string
	for i, k := range s.chosen() {
		if results[i].Full == nil {
			env.Note("skipping %s: %v", k.Name, why[0])
			why = why[1:]
			continue
		}
		names, kept = append(names, k.Name), append(kept, results[i])
	}
	s.Run = names
	return kept
}

// orWithout adds how to get the results of the other analyses if one has no result.
func orWithout(err error) error {
	if n := (*analysis.NoResultError)(nil); errors.As(err, &n) {
		return fmt.Errorf("%w; for the other results give --run %s", err, strings.Join(n.Others, ","))
	}
	return err
}

func warn(env *stage.Env, results []analysis.Result) {
	for _, r := range results {
		for _, w := range r.Warnings {
			env.Note("%v", w)
		}
	}
}

// CheckOutput checks before the analysis that results can be written into dir.
func CheckOutput(dir string) error {
	above := filepath.Clean(dir)
	info, err := os.Stat(above)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(above) != above {
		above = filepath.Dir(above)
		info, err = os.Stat(above)
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a file, not a directory", above)
	}
	if err == nil {
		err = tryDirectory(above)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", dir, err)
	}
	return nil
}

// tryDirectory creates and removes a directory in dir. It also removes one that a killed run left behind.
func tryDirectory(dir string) error {
	trial := filepath.Join(dir, ".partial-trial")
	if err := os.Mkdir(trial, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := os.Remove(trial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Save writes all results into dir, or none. It writes them into a temporary directory and moves them when all
// are complete.
func Save(dir string, results []analysis.Result) (err error) {
	_, statErr := os.Stat(dir)
	isNew := errors.Is(statErr, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	staging, err := store.NewStagingFolder(dir)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, staging.Remove())
		if err != nil && isNew {
			os.Remove(dir) // if it is empty
		}
	}()
	files := filesOf(results)
	if err := writeAll(staging, dir, files); err != nil {
		return err
	}
	for _, f := range files {
		if err := staging.Publish(f.name, filepath.Join(dir, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// output is a file of results.
type output struct {
	name  string
	write func(to *store.StagingFolder, name string) error
}

func filesOf(results []analysis.Result) (files []output) {
	for _, r := range results {
		for _, t := range r.Tables {
			files = append(files, output{t.Name + ".arrow", func(to *store.StagingFolder, name string) error { return store.StageTable(to, name, t) }})
		}
		for _, f := range r.Files {
			files = append(files, output{f.Name, func(to *store.StagingFolder, name string) error { return to.WriteFile(name, f.Fill) }})
		}
	}
	return files
}

// writersPerCore is the number of files written in parallel for each core. Small files mostly wait for the disk.
const writersPerCore = 2

// writeAll writes the files into the staging folder, several in parallel. It returns the error of the first
// file that failed, with the file's final path.
func writeAll(staging *store.StagingFolder, dir string, files []output) error {
	errs := make([]error, len(files))
	analysis.InParallel(len(files), writersPerCore*runtime.GOMAXPROCS(0), func(i int) {
		if err := files[i].write(staging, files[i].name); err != nil {
			errs[i] = fmt.Errorf("writing %s: %w", filepath.Join(dir, files[i].name), err)
		}
	})
	return cmp.Or(errs...)
}

// print writes summaries for people, or the complete result for programs.
func print(env *stage.Env, format stage.Format, chosen []*kind.Kind, results []analysis.Result) error {
	if format != stage.Human {
		return stage.Print(env.Out, format, results[0].Full)
	}
	for i, k := range chosen {
		if len(chosen) > 1 {
			gap := "\n"
			if i == 0 {
				gap = ""
			}
			if _, err := fmt.Fprintf(env.Out, "%s%s\n", gap, k.Name); err != nil {
				return err
			}
		}
		if err := stage.Print(env.Out, format, results[i].Summary); err != nil {
			return err
		}
	}
	return nil
}

// keep writes the results. If they cover all processors, it removes an older part for merging.
func keep(dir string, results []analysis.Result, whole bool) error {
	if err := Save(dir, results); err != nil || !whole {
		return err
	}
	return dropPart(dir)
}
