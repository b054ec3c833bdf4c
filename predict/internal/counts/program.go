package counts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spoor/calibrate/machine"
	"spoor/predict/cluster"
	"spoor/traces/stage"
)

// Program is a program that was traced with one or several numbers of processors.
type Program struct {
	Traces []*Trace
	// Retain keeps all runs in memory, for callers that come back to a machine after others. Otherwise Program keeps
	// those of the last machine.
	Retain bool
	// LeaveOutMessages makes runs without the time of messages.
	LeaveOutMessages bool
	// Machines are all machines that will be asked for. What one analysis can count for several is counted at once.
	Machines []*machine.Machine

	ctx          context.Context         // of the command
	runs, before map[string]*cluster.Run // by folders: of the last machine, and of the one before
}

// OpenProgram opens the traces at paths. The caller calls Close.
func OpenProgram(ctx context.Context, env *stage.Env, paths []string) (*Program, error) {
	p := &Program{ctx: ctx, runs: map[string]*cluster.Run{}}
	for _, path := range paths {
		t, err := Open(env, path)
		if err != nil {
			return nil, err
		}
		p.Traces = append(p.Traces, t)
	}
	return p, nil
}

// Close removes results that could not be kept.
func (p *Program) Close() (err error) {
	for _, t := range p.Traces {
		err = errors.Join(err, t.Close())
	}
	return err
}

// Distances returns the runs with the results of these flags: stack distances and the power law.
func (p *Program) Distances(flags []string) (runs []*cluster.Run, err error) {
	for _, t := range p.Traces {
		r, _, err := p.distances(t, flags)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, cluster.Sort(runs)
}

// On returns the runs with the results of these flags, and with the phases that model mva needs on m. Phases are counted
// for runs whose number of processors is wanted. If they cannot be counted, the run has the reason.
func (p *Program) On(m *machine.Machine, flags []string, wanted func(processors int) bool) (runs []*cluster.Run, err error) {
	if !p.Retain {
		p.before, p.runs = p.runs, map[string]*cluster.Run{}
	}
	for _, t := range p.Traces {
		r, err := p.on(t, m, flags, wanted(t.Procs))
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, cluster.Sort(runs)
}

// on is On for one trace.
func (p *Program) on(t *Trace, m *machine.Machine, flags []string, withPhases bool) (*cluster.Run, error) {
	r, from, err := p.distances(t, flags)
	if err != nil || !withPhases || !t.HasRefs {
		return r, err
	}
	more, err := r.PhaseFlags(m, t.Waits)
	if err != nil {
		return r.WithoutPhases(err), nil
	}
	dir, err := t.Analyze(p.ctx, p.together(t, r, more)...)
	switch {
	case p.ctx.Err() != nil:
		return nil, p.ctx.Err()
	case err != nil:
		return r.WithoutPhases(err), nil
	}
	return p.run(dir, from+" "+dir, func() (*cluster.Run, error) {
		out, err := r.WithPhases(dir, m)
		if err == nil && !out.HasPhases(slices.ContainsFunc(more, func(flag string) bool { return strings.HasPrefix(flag, "--per-node") })) {
			err = errors.New("a table of phases is missing")
		}
		return out, err
	})
}

// together returns the flags of an analysis that counts what these flags count: of one that was made, or of one for all
// machines that it can count for.
func (p *Program) together(t *Trace, r *cluster.Run, flags []string) []string {
	made, found := t.Find(func(have []string) bool {
		both, ok := cluster.JoinPhases(have, flags)
		return ok && slices.Equal(both, have)
	})
	if found {
		return made
	}
	for _, m := range p.Machines {
		other, err := r.PhaseFlags(m, t.Waits)
		if both, ok := cluster.JoinPhases(flags, other); err == nil && ok {
			flags = both
		}
	}
	return flags
}

// distances returns the run with the results of these flags, and their folder. A trace without references has the critical paths of
// its messages only.
func (p *Program) distances(t *Trace, flags []string) (r *cluster.Run, dir string, err error) {
	paths := ""
	if t.Messages && !p.LeaveOutMessages {
		if paths, err = t.Analyze(p.ctx, cluster.MessageFlags(p.Machines...)...); err != nil {
			return nil, "", err
		}
	}
	if dir = paths; t.HasRefs || paths == "" {
		if dir, err = t.Analyze(p.ctx, flags...); err != nil {
			return nil, "", err
		}
	}
	r, err = p.run(dir, dir+" "+paths, func() (*cluster.Run, error) { return p.open(t, dir, paths) })
	return r, dir + " " + paths, err
}

// open opens the run with the results in dir, and with the critical paths of its messages in another folder.
func (p *Program) open(t *Trace, dir, paths string) (*cluster.Run, error) {
	r, err := cluster.Open(dir)
	if err != nil {
		return nil, err
	}
	r.Name = t.Path
	if p.LeaveOutMessages {
		r.LeaveOutMessages()
	}
	if paths != "" {
		if err := r.ReadMessages(paths); err != nil {
			return nil, damaged(err, paths)
		}
	}
	return r, nil
}

// errDamaged is the error of results that cannot be read.
type errDamaged struct{ error }

// damaged returns the error of results in dir, unless err names another folder already.
func damaged(err error, dir string) error {
	if errors.As(err, &errDamaged{}) {
		return err
	}
	return errDamaged{fmt.Errorf("%w; delete %s to analyze the trace again", err, dir)}
}

// run returns the run with this key. It opens the results in dir if the run is not in memory.
func (p *Program) run(dir, key string, open func() (*cluster.Run, error)) (r *cluster.Run, err error) {
	if r = p.runs[key]; r == nil {
		r = p.before[key]
	}
	if r == nil {
		if r, err = open(); err != nil {
			return nil, damaged(err, dir)
		}
	}
	p.runs[key] = r
	return r, nil
}
