package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"spoor/analyze/analysis"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// onlyMessages reports whether all that was asked for can be had from events alone.
func (s *settings) onlyMessages() bool {
	for _, k := range s.chosen() {
		if k.name != commName && k.name != marshalName {
			return false
		}
	}
	return true
}

// measure runs the analyses, showing progress by references.
func (o *options) measure(ctx context.Context, env *stage.Env, src *store.Trace, kept *part, analyses []analysis.Analysis) ([]analysis.Result, error) {
	orders := analysis.Orders(src.Header(), kept.procs, analyses...)
	total := uint64(0)
	for p := range trace.Proc(src.Header().Procs) {
		for _, order := range orders {
			if order == p || order == trace.Interleaved {
				total += src.Totals(p).Refs
			}
		}
	}
	if total == 0 && !o.onlyMessages() {
		env.Note("the trace has no references; its messages are what --run comm,marshal is for")
	}
	if src.Header().Procs > 1 && !src.HasEvents() {
		env.Note("the trace has no %s file: its processors are taken to wait for nobody, at barriers and locks neither", store.EventsSuffix)
	}
	bar := env.Progress("analyzing", int64(total), "refs")
	defer bar.Done()
	run := analysis.Options{Procs: kept.procs, Progress: bar.Add}
	if kept.procs != nil {
		run.OnEnd = kept.keep
	}
	results, err := stage.Interruptible(ctx, func() ([]analysis.Result, error) { return analysis.Run(ctx, src, run, analyses...) })
	if err != nil {
		return nil, orWithout(err)
	}
	warn(env, results)
	return results, nil
}

// orWithout says how to have what the other analyses found, if one has no result.
func orWithout(err error) error {
	if n := (*analysis.NoResultError)(nil); errors.As(err, &n) {
		return fmt.Errorf("%w; the others have results: --run %s", err, strings.Join(n.Others, ","))
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

// checkOutput finds out, before the work is done, whether results can be written into dir.
func checkOutput(dir string) error {
	if dir == "" {
		return stage.Usage("--output: no directory")
	}
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

// tryDirectory makes something in dir, and removes it, as it does with what a killed run left there.
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

// save writes all results into dir, or none: they are made in a directory aside and
// moved when all are complete.
func save(dir string, results []analysis.Result) (err error) {
	_, statErr := os.Stat(dir)
	isNew := errors.Is(statErr, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	aside, err := store.NewStagingFolder(dir)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, aside.Remove())
		if err != nil && isNew {
			os.Remove(dir) // goes if it is empty
		}
	}()
	files := filesOf(results)
	if err := writeAll(aside, dir, files); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Rename(filepath.Join(aside.Path, f.name), filepath.Join(dir, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// output is a file of the results.
type output struct {
	name  string
	write func(to *store.StagingFolder, name string) error
}

func filesOf(results []analysis.Result) (files []output) {
	for _, r := range results {
		for _, t := range r.Tables {
			files = append(files, output{t.Name + ".arrow", func(to *store.StagingFolder, name string) error { return to.WriteTable(name, t) }})
		}
		for _, f := range r.Files {
			files = append(files, output{f.Name, func(to *store.StagingFolder, name string) error { return to.WriteFile(name, f.Fill) }})
		}
	}
	return files
}

// writersPerCore is how many files are written at a time for each core: small ones mostly wait for the disk.
const writersPerCore = 2

// writeAll writes the files into a directory aside, several at a time. Of several errors it is that of the first file, and names where that
// would have been.
func writeAll(aside *store.StagingFolder, dir string, files []output) error {
	errs := make([]error, len(files))
	analysis.InParallel(len(files), writersPerCore*runtime.GOMAXPROCS(0), func(i int) {
		if err := files[i].write(aside, files[i].name); err != nil {
			errs[i] = fmt.Errorf("writing %s: %w", filepath.Join(dir, files[i].name), err)
		}
	})
	return cmp.Or(errs...)
}

// print writes summaries for people, or the one result in full for programs.
func print(env *stage.Env, format stage.Format, chosen []*kind, results []analysis.Result) error {
	if format != stage.Human {
		return stage.Print(env.Out, format, results[0].Full)
	}
	for i, k := range chosen {
		if len(chosen) > 1 {
			gap := "\n"
			if i == 0 {
				gap = ""
			}
			if _, err := fmt.Fprintf(env.Out, "%s%s\n", gap, k.name); err != nil {
				return err
			}
		}
		if err := stage.Print(env.Out, format, results[i].Summary); err != nil {
			return err
		}
	}
	return nil
}
