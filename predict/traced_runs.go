package main

import (
	"context"
	"fmt"

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

// trace opens traces. Models cannot predict a trace that has messages only.
func (o *modelRuns) trace(ctx context.Context, env *stage.Env, paths []string) (*counts.Program, error) {
	p, err := counts.OpenProgram(ctx, env, paths)
	if err != nil {
		return nil, err
	}
	for _, t := range p.Traces {
		if t.Messages && !t.HasRefs {
			return nil, fmt.Errorf("predicting %s: the program passes messages, and models do not know their time; "+
				"simulate it with predict replay, or record its references too and give --without-messages", t.Path)
		}
	}
	return p, nil
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
