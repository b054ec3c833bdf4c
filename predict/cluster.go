package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/predict/cluster"
	"spoor/predict/model"
	"spoor/traces/stage"
)

// clusterOptions are the flags of predict cluster.
type clusterOptions struct {
	params, machines []string
	processors       []int
	models           []string
	terms, full      bool
	printed          bool
	transaction      float64 // instructions of one; 0: not said
	raise, exposed   string
	share            float64 // that is exposed
	nodes            []string
	format           stage.Format
	output           string
	noted            map[string]bool // what was said of models that need more than was measured
}

const clusterExample = `  $ tracegen fft --procs 2 --set points=1024 -o fft
  $ analyze --run reuse,locality,phases -o fft.analysis fft
  $ predict cluster --params fft.analysis --machine data/machine/du2000-smp-256k.toml
  $ predict cluster --params fft.analysis --machine data/machine/du2000-smp-256k.toml --model mva --terms
  $ predict cluster --params fft.analysis --machine data/machine/du2000-smp-256k.toml --processors 1,2,4 --model paper --format csv
  $ predict cluster --params fft.analysis --machine data/machine/du2000-smp-256k.toml --as-printed
  $ predict cluster --params fft.analysis --machine data/machine/du2000-smp-256k.toml --model curve --terms --transaction 625000
  $ analyze --run reuse,locality,phases --line 64B,256B --sets 2048 --per-node 1 --block 256B --placement interleaved -o fft.apart fft
  $ predict cluster --params fft.apart --machine data/machine/du2000-cow-2-256k-10m.toml --node data/machine/du2000-cow-2-256k-10m.toml --model mva`

// clusterCommand is predict cluster.
func clusterCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "cluster --params P... --machine FILE...",
		Short:   "E(Instr) on symmetric multiprocessors and clusters by models of the memory hierarchy",
		Long:    clusterLong,
		Example: clusterExample,
	}
	o := &clusterOptions{}
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.params, "params", "analysis directory or parameter file `P`; may be repeated")
	stage.PathsVar(flags, &o.machines, "machine", "machine description `FILE`; may be repeated")
	stage.PathsVar(flags, &o.nodes, "node", "description `FILE` of a node of another kind, in place of a last one of each cluster; may be repeated; model mva alone")
	flags.IntSliceVar(&o.processors, "processors", nil, "numbers of processors as a `LIST` (default those of the runs)")
	flags.StringSliceVar(&o.models, "model", nil, "models as a `LIST` (default all that the measurements allow)")
	flags.BoolVar(&o.printed, "as-printed", false, "model paper alone, with rates and prefactors as they are printed, to check the paper")
	flags.BoolVar(&o.full, "full", false, "of the runs, only those that have as many processors as the machine")
	flags.BoolVar(&o.terms, "terms", false, "print the terms of each prediction instead, and cycles per instruction")
	flags.Float64Var(&o.transaction, "transaction", 0, "with --terms, `INSTRUCTIONS` of a transaction, for its time and transactions per minute")
	flags.StringVar(&o.raise, "raise-remote", "0%", "`SHARE` by which model paper raises the rate of remote accesses for coherence; the paper fitted 12.4%")
	flags.StringVar(&o.exposed, "exposed", "", "parameter `FILE` with the share of the time of misses that processors wait for, as calibrate instructions measures it, for curve and mva")
	format := stage.FormatFlag(flags)
	flags.StringVarP(&o.output, "output", "o", "", "write the predictions as an Arrow table to `FILE`")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		o.format = *format
		return o.run(env, args)
	}
	return cmd
}

// clusterLong is the help of the command.
const clusterLong = "Cluster predicts E(Instr), the time of the run over the instructions of all processors, in nanoseconds, with its\n" +
	"parts, what binds, an interval and warnings [du2000]. The interval from lo to hi is to hold 95 % of simulations: it is\n" +
	"what the model varies, from parameters_lo to parameters_hi, widened by model_below and model_above, which are how far beyond\n" +
	"that simulations of other programs were on machines of the kind. Models:\n" +
	"  paper  as published: a power law fitted to the stack distances, and queues for memory and disks (3.16),\n" +
	"         and for the network of clusters (3.19, 3.20, 3.25, 3.27), with gamma in rates and prefactors,\n" +
	"         where --as-printed has none\n" +
	"  curve  the same with the measured stack distances\n" +
	"  mva    closed queueing networks of what the processors do between the trace's barriers, and in clusters the\n" +
	"         messages of shared memory in software\n\n" +
	"P is a directory that analyze wrote, or the .params.toml in it: paper needs locality, curve reuse, and mva phases\n" +
	"at the sets of the machine's caches, for clusters with --per-node and the machine's --placement; curve needs\n" +
	"for clusters lines as large as blocks, too. What a model lacks that --model names is an error; of all models, those that lack\n" +
	"something are left out with a note. Several P are runs of one program with different numbers of processors.\n" +
	"Arguments that end in .toml are machines too, so that --machine data/machine/*.toml works.\n\n" +
	"Clusters may have unequal nodes: each --node takes the place of one of the last, with its own clock, caches and\n" +
	"memory, as many processors, and lines as long; or the machine's file has them as [[node]]. Processors have the work\n" +
	"that the trace gives them. predict replay simulates the same clusters."

func (o *clusterOptions) run(env *stage.Env, args []string) error {
	stray, machines := splitReplayArgs(args, o.machines)
	switch {
	case len(stray) > 0:
		return stage.Usage("%q is neither a flag nor a machine; parameters go with --params", stray[0])
	case len(o.params) == 0:
		return stage.Usage("no parameters; give --params with a directory that analyze wrote")
	case len(machines) == 0:
		return noMachine()
	case o.transaction != 0 && !(o.transaction >= 1 && o.transaction <= math.MaxInt64):
		return stage.Usage("--transaction %v: a transaction has one instruction at least", o.transaction)
	case o.transaction != 0 && !o.terms:
		return stage.Usage("--transaction goes with --terms")
	case slices.ContainsFunc(o.processors, func(n int) bool { return n < 1 }):
		return stage.Usage("--processors %v: it takes at least one processor", o.processors)
	}
	models, err := o.chosen()
	if err != nil {
		return err
	}
	if o.share, err = exposedShare(o.exposed); err != nil {
		return err
	}
	runs, err := openRuns(o.params)
	if err != nil {
		return err
	}
	targets, err := o.read(machines)
	if err != nil {
		return err
	}
	all, err := o.predictAll(env, runs, targets, models)
	if err != nil {
		return err
	}
	return o.report(env, all)
}

// read reads machines, whose processors wait for the share of misses that was given.
func (o *clusterOptions) read(files []string) (all []*machine.Machine, err error) {
	for _, file := range files {
		m, err := readMachine(file, o.nodes)
		if err != nil {
			return nil, err
		}
		for _, n := range slices.Concat(m.OtherNodes, []*machine.Machine{m}) {
			n.Processor.Exposed = o.share
		}
		all = append(all, m)
	}
	return all, nil
}

// skippedMachine is the reason why nothing can be predicted of one machine, which says nothing of others.
type skippedMachine struct{ error }

// predictAll predicts for each machine for which it can be done, and notes which are left out. It fails if all are.
func (o *clusterOptions) predictAll(env *stage.Env, runs []*cluster.Run, machines []*machine.Machine, models []model.Model[*cluster.Case]) (all []model.Prediction, err error) {
	var reasons []error
	for _, m := range machines {
		some, err := o.predict(env, &cluster.Case{Runs: runs, Machine: m}, models)
		if reason := (skippedMachine{}); errors.As(err, &reason) {
			reasons = append(reasons, reason)
		} else if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if len(all) == 0 && len(reasons) == 1 {
		return nil, reasons[0]
	}
	for _, reason := range reasons {
		env.Note("left out: %v", reason)
	}
	if len(all) == 0 {
		return nil, errors.New("nothing can be predicted on any of these machines")
	}
	return all, nil
}

// exposedShare is the parameter exposed of a file; 0 without one.
func exposedShare(path string) (float64, error) {
	if path == "" {
		return 0, nil
	}
	set, err := param.Read(path)
	if err != nil {
		return 0, err
	}
	p, err := set.Get("exposed", "1")
	switch {
	case err != nil:
		return 0, err
	case !(p.Value > 0 && p.Value <= 1):
		return 0, fmt.Errorf("%s: parameter exposed is %v, and is no share of the time of misses; it must be above 0, and 1 at most", path, p.Value)
	}
	return p.Value, nil
}

// chosen is the models that were asked for, or all.
func (o *clusterOptions) chosen() ([]model.Model[*cluster.Case], error) {
	raise, err := strconv.ParseFloat(strings.TrimSuffix(o.raise, "%"), 64)
	if err != nil || !strings.HasSuffix(o.raise, "%") || !(raise >= 0 && raise <= 1000) {
		return nil, stage.Usage("--raise-remote %s is not a share from 0%% to 1000%%", o.raise)
	}
	names := o.models
	switch {
	case o.printed && len(names) > 0 && !slices.Equal(names, []string{"paper"}):
		return nil, stage.Usage("--as-printed is model paper alone; leave out --model")
	case o.printed:
		return []model.Model[*cluster.Case]{cluster.Paper{Raise: raise / 100, Printed: true}}, nil
	case len(names) == 0:
		for _, m := range cluster.All {
			names = append(names, m.Name())
		}
	}
	var out []model.Model[*cluster.Case]
	for _, name := range names {
		m, err := cluster.Named(name)
		if err != nil {
			return nil, stage.Usage("--model: %v", err)
		}
		if m == (cluster.Paper{}) {
			m = cluster.Paper{Raise: raise / 100}
		}
		if slices.Contains(out, m) {
			return nil, stage.Usage("--model names %s twice", name)
		}
		out = append(out, m)
	}
	return out, nil
}

func openRuns(paths []string) ([]*cluster.Run, error) {
	var runs []*cluster.Run
	for _, p := range paths {
		r, err := cluster.Open(p)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, cluster.Sort(runs)
}

// predict applies the models to the machine of c. What only the default asked for and
// the measurements do not allow is noted and left out.
func (o *clusterOptions) predict(env *stage.Env, c *cluster.Case, models []model.Model[*cluster.Case]) (all []model.Prediction, err error) {
	processors := o.processors
	if len(processors) == 0 {
		processors = o.fitting(env, c.Runs, c.Machine)
	}
	if len(processors) == 0 {
		return nil, skippedMachine{fmt.Errorf("no run fits machine %s, which has %d processors; give --processors to scale one", c.Machine.Name, c.Machine.Count())}
	}
	var last error
	for _, n := range processors {
		for _, v := range models {
			of := *c
			of.Processors = n
			p, err := v.Predict(&of)
			switch {
			case err == nil:
				p.Terms = append(p.Terms, cluster.Rates(p, &of, o.transaction, o.printed)...)
				all = append(all, p)
			case len(o.models) > 0:
				return nil, fmt.Errorf("predicting %s with model %s: %w", c.Runs[0].Program, v.Name(), err)
			default:
				o.missing(env, v.Name(), err)
				last = err
			}
		}
	}
	if len(all) == 0 {
		return nil, skippedMachine{fmt.Errorf("predicting %s on %s: no model applies: %w", c.Runs[0].Program, c.Machine.Name, last)}
	}
	return all, nil
}

// missing notes once why a model that nobody asked for says nothing.
func (o *clusterOptions) missing(env *stage.Env, name string, err error) {
	if note := fmt.Sprintf("no prediction by %s: %v", name, err); !o.noted[note] {
		env.Note("%s", note)
		if o.noted == nil {
			o.noted = map[string]bool{}
		}
		o.noted[note] = true
	}
}

// fitting are the numbers of processors of the runs that fit a machine, with --full those that fill it.
func (o *clusterOptions) fitting(env *stage.Env, runs []*cluster.Run, m *machine.Machine) (processors []int) {
	have := m.Count()
	for _, r := range runs {
		if r.Processors > have {
			env.Note("%s has %d processors and machine %s %d: left out", r.Name, r.Processors, m.Name, have)
		} else if !o.full || r.Processors == have {
			processors = append(processors, r.Processors)
		}
	}
	return processors
}
