package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"spoor/predict/cluster"
	"spoor/traces/stage"
)

// modelRuns are the runs that models predict from.
type modelRuns struct {
	params          []string
	withoutMessages bool
}

// add adds the flags about runs.
func (o *modelRuns) add(flags *pflag.FlagSet) {
	stage.PathsVar(flags, &o.params, "params", "analysis directory or parameter file `P`; may be repeated")
	flags.BoolVar(&o.withoutMessages, "without-messages", false, "predict programs that pass messages without the time of messages")
}

// open reads the runs. It refuses runs of programs that pass messages if the time of messages is not known, unless the user
// leaves that time out.
func (o *modelRuns) open(env *stage.Env) ([]*cluster.Run, error) {
	var runs []*cluster.Run
	for _, p := range o.params {
		r, err := cluster.Open(p)
		switch {
		case err != nil && cluster.OnlyMessages(p) && !o.withoutMessages:
			return nil, fmt.Errorf("predicting %s: the analysis has only messages; analyze references too, with analyze --run reuse,locality,phases,paths, "+
				"or simulate the trace with predict replay", p)
		case err != nil:
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, o.checkMessages(env, runs)
}

// checkMessages returns an error if a program passes messages, and sorts the runs.
func (o *modelRuns) checkMessages(env *stage.Env, runs []*cluster.Run) error {
	if err := cluster.Sort(runs); err != nil {
		return err
	}
	any := false
	for _, r := range runs {
		switch passes, known := r.PassesMessages(); {
		case passes && o.withoutMessages:
			r.LeaveOutMessages()
		case passes && r.HasMessageTime() != nil:
			return fmt.Errorf("predicting %s: the program passes messages, and their time is not known: %w; "+
				"or simulate the trace with predict replay, or give --without-messages to leave their time out", r.Program, r.HasMessageTime())
		case !known && !o.withoutMessages:
			env.Note("%s does not say whether the program passes messages, whose time models do not know; analyze the trace again", r.Name)
		}
		passes, known := r.PassesMessages()
		any = any || passes || !known
	}
	if o.withoutMessages && !any {
		env.Note("--without-messages has no effect: the program passes no messages")
	}
	return nil
}
