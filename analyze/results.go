package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"spoor/analyze/analysis"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// measure runs the analyses, showing progress by references.
func (o *options) measure(ctx context.Context, env *stage.Env, src *store.Trace, procs []trace.Proc, analyses []analysis.Analysis) ([]analysis.Result, error) {
	orders := analysis.Orders(src.Header(), procs, analyses...)
	total := uint64(0)
	for p := range trace.Proc(src.Header().Procs) {
		for _, order := range orders {
			if order == p || order == trace.Interleaved {
				total += src.Totals(p).Refs
			}
		}
	}
	bar := env.Progress("analyzing", int64(total), false)
	defer bar.Done()
	results, err := analysis.Run(ctx, src, analysis.Options{Procs: procs, Progress: bar.Add}, analyses...)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		for _, w := range r.Warnings {
			env.Note("%v", w)
		}
	}
	return results, nil
}

// save writes all results into dir, or none: they are made in a directory aside and
// moved when all are complete.
func save(dir string, results []analysis.Result) (err error) {
	_, statErr := os.Stat(dir)
	isNew := errors.Is(statErr, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	aside, err := os.MkdirTemp(dir, ".partial-")
	if err != nil {
		return err
	}
	defer func() {
		os.RemoveAll(aside)
		if err != nil && isNew {
			os.Remove(dir) // goes if it is empty
		}
	}()
	var written []string
	for _, r := range results {
		for _, t := range r.Tables {
			name := t.Name + ".arrow"
			if err := store.WriteTable(filepath.Join(aside, name), t); err != nil {
				return fmt.Errorf("writing %s: %w", filepath.Join(dir, name), err)
			}
			written = append(written, name)
		}
		for _, f := range r.Files {
			if err := store.WriteFile(filepath.Join(aside, f.Name), f.Fill); err != nil {
				return fmt.Errorf("writing %s: %w", filepath.Join(dir, f.Name), err)
			}
			written = append(written, f.Name)
		}
	}
	for _, name := range written {
		if err := os.Rename(filepath.Join(aside, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// print writes summaries for people, or the one result in full for programs.
func (o *options) print(env *stage.Env, chosen []*kind, results []analysis.Result) error {
	if *o.format != stage.Human {
		return stage.Print(env.Out, *o.format, results[0].Full)
	}
	for i, r := range results {
		if len(results) > 1 {
			gap := "\n"
			if i == 0 {
				gap = ""
			}
			if _, err := fmt.Fprintf(env.Out, "%s%s\n", gap, chosen[i].name); err != nil {
				return err
			}
		}
		if err := stage.Print(env.Out, *o.format, r.Summary); err != nil {
			return err
		}
	}
	return nil
}
