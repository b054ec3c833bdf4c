package main

import (
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/replay"
	"spoor/traces/lookup"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// engineFlags are the flags of predict replay and direct about the engine for messages. The results do not depend on
// them.
type engineFlags struct {
	protocol, quantum string
	stats             bool
	times             string // file for the host's times, or empty
	opt               engine.Options
	changed           func(string) bool
}

func (f *engineFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.protocol, "engine", string(outcome.Sequential), "`NAME` of the engine: sequential, quantum or whoa")
	flags.StringVar(&f.quantum, "quantum", "0s", "`TIME` between synchronizations of engine quantum, at most the lookahead; 0s: the lookahead")
	flags.BoolVar(&f.stats, "engine-stats", false, "print windows, events and appointments of the engine")
}

// engineNames lists the engines.
func engineNames() []string {
	return []string{string(outcome.Sequential), string(outcome.Quantum), string(outcome.Whoa)}
}

// check reads the flags.
func (f *engineFlags) check() (err error) {
	if f.opt.Protocol, err = outcome.ParseProtocol(f.protocol); err != nil {
		return stage.Usage("--engine: %w", lookup.Unknown("engine", f.protocol, engineNames()))
	}
	quantum, err := unit.Parse(f.quantum, "s")
	switch {
	case err != nil:
		return stage.Usage("--quantum: %v", err)
	case quantum < 0 || quantum > 1:
		return stage.Usage("--quantum %s is not from 0s to 1s", f.quantum)
	case quantum > 0 && f.opt.Protocol != outcome.Quantum:
		return stage.Usage("--quantum needs --engine quantum, not %s", f.opt.Protocol)
	case f.opt.Ahead > 0 && f.opt.Protocol != outcome.Whoa:
		return stage.Usage("--ahead needs --engine whoa, not %s", f.opt.Protocol)
	case f.opt.Ahead < 0:
		return stage.Usage("--ahead %d is negative", f.opt.Ahead)
	}
	f.opt.Quantum = unit.Seconds(quantum).Picos()
	return nil
}

// options returns the options of simulations by so many workers.
func (f *engineFlags) options(workers int, sims []*simulation) engine.Options {
	opt := f.opt
	if opt.Protocol != outcome.Sequential || !f.changed("engine") && slices.ContainsFunc(sims, (*simulation).hasWindows) {
		opt.Workers = workers
	}
	return opt
}

// hasWindows reports whether references are simulated in windows, which several workers can do.
func (s *simulation) hasWindows() bool {
	return s.scope == replay.References && s.machine.System.Target == machine.WWT
}

// note reports which engine ran, if the user chose one.
func (f *engineFlags) note(env *stage.Env, simulation string, scope replay.Scope, e outcome.Stats) {
	switch {
	case scope == replay.References && e.Workers == 0:
	case scope == replay.References && f.opt.Protocol == outcome.Whoa:
		env.Note("%s: engine %s ran instead of %s: target wwt is simulated in windows", simulation, e.Protocol, f.opt.Protocol)
	case scope == replay.Both && f.opt.Protocol != outcome.Sequential:
		env.Note("%s: engine %s ran instead of %s: references are simulated; --references=false leaves them out", simulation, outcome.Sequential, f.opt.Protocol)
	case f.opt.Protocol == outcome.Sequential && f.stats && e.Reason != "":
		env.Note("%s: only engine %s can run: %s", simulation, e.Protocol, e.Reason)
	case f.opt.Protocol == outcome.Sequential:
	case e.Reason != "":
		env.Note("%s: engine %s ran instead of %s: %s", simulation, e.Protocol, f.opt.Protocol, e.Reason)
	case e.Application > 0:
		env.Note("%s: engine %s, workers: %d, and %d for the application", simulation, e.Protocol, e.Workers, e.Application)
	default:
		env.Note("%s: engine %s, workers: %d", simulation, e.Protocol, e.Workers)
	}
}

// checkTimes returns an error for simulations whose times on the host are not measured.
func (f *engineFlags) checkTimes(sims []*simulation) error {
	if f.times == "" || len(sims) == 1 && sims[0].hasWindows() {
		return nil
	}
	return stage.Usage("--host-times needs one trace on one machine of target wwt, and no messages")
}

// writeTimes writes the times of the simulator on this host as parameters of predict windtunnel. A cycle of the host is a nanosecond.
func (f *engineFlags) writeTimes(env *stage.Env, s *simulation, res *replay.Result) error {
	if f.times == "" {
		return nil
	}
	h, set := res.Host, &param.Set{}
	add := func(name, unit string, value float64, n uint64, method string) {
		if err := set.Add(param.Param{Name: name, Unit: unit, Value: value, Lo: math.NaN(), Hi: math.NaN(), N: n, Method: method,
			Source: filepath.Base(s.prefix) + store.RefsSuffix + " sha256:" + s.trace.SHA256()}); err != nil {
			panic(err) // names and units are constants
		}
	}
	add("targets", "processors", float64(len(res.Procs)), 0, "of the trace")
	add("workers", "1", float64(res.Engine.Workers), 0, "of the simulation")
	add("quanta", "1", float64(h.Windows), 0, "windows of the simulation")
	add("elapsed", "s", h.Elapsed.Seconds(), 0, "time of the simulation on this host, without opening the trace")
	add("t_quantum_overhead", "cycles", h.Overhead, 0, "window of two workers that has only a message of each, in ns")
	if h.Sampled > 0 {
		add("mu", "cycles", h.Mean, h.Sampled, "time of a target in a quantum, in ns")
		add("sigma_intra", "cycles", math.Sqrt(h.Variance), h.Sampled, "standard deviation of that within quanta, in ns")
		add("n_cxsw", "processors", h.Active, h.Sampled, "targets with something to do in a quantum")
		add("n_fp", "processors", 0, 0, "the simulator saves no registers")
		add("t_cxsw", "cycles", h.Rest/max(1, h.Active), h.Sampled, "rest of the time of a quantum for each of them, in ns")
		add("n_win", "1", 0, 0, "the simulator saves no registers")
		add("t_win", "cycles", 0, 0, "the simulator saves no registers")
		add("t_fp", "cycles", 0, 0, "the simulator saves no registers")
	} else {
		env.Note("%s has only the time of the whole simulation; --workers 1 also measures what predict windtunnel needs", f.times)
	}
	return store.WriteFileAtomic(f.times, set.Write)
}
