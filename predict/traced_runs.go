package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"spoor/calibrate/machine"
	"spoor/predict/cluster"
	"spoor/predict/internal/counts"
	"spoor/traces/stage"
)

// checkInput returns an error unless there are either traces or parameters.
func (o *modelRuns) checkInput(traces []string) error {
	switch {
	case len(traces) == 0 && len(o.params) == 0:
		return stage.Usage("no trace and no parameters; give a trace, or --params with a directory that analyze wrote")
	case len(traces) > 0 && len(o.params) > 0:
		return stage.Usage("unexpected argument %q; give traces or --params, not both", traces[0])
	}
	return nil
}

// trace opens traces, for machines.
func (o *modelRuns) trace(ctx context.Context, env *stage.Env, paths []string, machines []*machine.Machine) (*counts.Program, error) {
	p, err := counts.OpenProgram(ctx, env, paths)
	if err != nil {
		return nil, explainFolder(paths, err)
	}
	for _, t := range p.Traces {
		if o.withoutMessages && t.Messages && !t.HasRefs {
			return nil, stage.Usage("--without-messages: %s has only messages; record its references too, or omit the flag", t.Path)
		}
	}
	p.LeaveOutMessages, p.Machines = o.withoutMessages, machines
	return p, nil
}

// explainFolder returns the error of paths that cannot be opened as traces. Results of analyze are no traces.
func explainFolder(paths []string, err error) error {
	for _, path := range paths {
		if info, statErr := os.Stat(path); errors.Is(err, fs.ErrNotExist) && statErr == nil && info.IsDir() {
			return stage.Usage("%s is a folder, not a trace; give results of analyze with --params", path)
		}
	}
	return err
}

// checkOnce returns a function that does checkMessages once.
func (o *modelRuns) checkOnce(env *stage.Env) func([]*cluster.Run) error {
	done := false
	return func(runs []*cluster.Run) error {
		if done {
			return nil
		}
		done = true
		return o.checkMessages(env, runs)
	}
}
