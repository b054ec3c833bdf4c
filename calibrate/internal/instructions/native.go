package instructions

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Tracegen is the command that runs and records kernels.
type Tracegen struct{ path string }

// Find finds tracegen next to this program, or in PATH.
func Find() (*Tracegen, error) {
	if self, err := os.Executable(); err == nil {
		if path := filepath.Join(filepath.Dir(self), "tracegen"); exec.Command(path, "--version").Run() == nil {
			return &Tracegen{path}, nil
		}
	}
	path, err := exec.LookPath("tracegen")
	if err != nil {
		return nil, errors.New("tracegen, which runs the kernels, is neither next to this command nor in PATH; make build builds both")
	}
	return &Tracegen{path}, nil
}

// run runs a kernel and returns its standard output.
func (t *Tracegen) run(ctx context.Context, r Run, more ...string) (out []byte, err error) {
	args := []string{r.Kernel, "--quiet"}
	for _, a := range r.Arguments {
		args = append(args, "--set", a)
	}
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, t.path, append(args, more...)...)
	cmd.Stderr = &errs
	if out, err = cmd.Output(); err != nil {
		return nil, fmt.Errorf("running %s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out, nil
}

// Native runs a kernel in a process of its own.
func (t *Tracegen) Native(ctx context.Context, r Run, runs int) (times []unit.Seconds, err error) {
	out, err := t.run(ctx, r, "--native", "--repeat", strconv.Itoa(runs), "--format", "csv")
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil || len(rows) != runs+1 {
		return nil, fmt.Errorf("tracegen printed %d rows for %d runs of %s", len(rows), runs, r.Kernel)
	}
	column := slices.IndexFunc(rows[0], func(name string) bool { return strings.HasPrefix(name, "time") })
	for _, row := range rows[1:] {
		if column < 0 {
			return nil, fmt.Errorf("tracegen printed no times")
		}
		v, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			return nil, fmt.Errorf("tracegen printed a time of %q", row[column])
		}
		times = append(times, unit.Seconds(v))
	}
	return times, nil
}

// Count records a run and computes its stack distances.
func (t *Tracegen) Count(ctx context.Context, r Run, line unit.Bytes) (c Counts, err error) {
	dir, err := os.MkdirTemp("", "spoor-calibrate-*")
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	prefix := filepath.Join(dir, r.Kernel)
	if _, err := t.run(ctx, r, "-o", prefix); err != nil {
		return c, err
	}
	src, err := store.Open(prefix)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	var shard *reuse.Shard
	keep := func(_ string, _ trace.Proc, s analysis.MergeableShard) error {
		shard, _ = s.(*reuse.Shard)
		return nil
	}
	if _, err := analysis.Run(ctx, src, analysis.Options{Procs: []trace.Proc{0}, OnEnd: keep}, &reuse.Analysis{Lines: []unit.Bytes{line}}); err != nil {
		return c, fmt.Errorf("stack distances of %s: %w", r.Kernel, err)
	}
	distances := shard.At(line)
	return Counts{int64(shard.Instr), int64(shard.Refs), func(lines int64) int64 { return int64(distances.Misses([]int64{lines})[0]) }}, nil
}
