package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"spoor/traces/stage"
)

// replayOptions are the flags of predict replay.
type replayOptions struct {
	machines []string
	nodes    []string
	workers  int
	full     bool
	warm     bool

	references bool
	changed    func(flag string) bool
	memory     memoryFlags
	messages   messageFlags
	quanta     quantaFlags
	format     stage.Format
	output     string
}

// replayCommand is predict replay.
func replayCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "replay PREFIX... --machine FILE...",
		Short:   "run recorded traces on simulated machines",
		Long:    replayLong,
		Example: replayExample,
		Args:    cobra.MinimumNArgs(1),
	}
	o := &replayOptions{}
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.machines, "machine", "machine description `FILE`; may be repeated")
	stage.PathsVar(flags, &o.nodes, "node", "description `FILE` of a node of another kind, in place of a last one of each cluster; may be repeated")
	flags.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "simulations that run at once")
	flags.BoolVar(&o.full, "full", false, "only on machines that have as many processors as the trace")
	flags.BoolVar(&o.references, "references", false, "simulate the references of traces that pass messages, too; --references=false leaves out those of others, too")
	o.memory.add(flags)
	flags.BoolVar(&o.warm, "warm", false, "begin with what a run before has left in caches and memories, not with nothing")
	flags.StringVar(&o.quanta.dir, "quanta", "", "write what processors do in every quantum into `DIR`, as analyze --run quanta does, and print it")
	flags.Float64Var(&o.quanta.cycles, "quanta-length", 100, "length of a quantum of --quanta in `cycles`")
	o.messages.add(flags)
	format := stage.FormatFlag(flags)
	flags.StringVarP(&o.output, "output", "o", "", "write the results as an Arrow table to `FILE`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.format, o.changed = *format, flags.Changed
		return o.run(cmd.Context(), env, args)
	}
	return cmd
}

// replayLong is the help of the command.
const replayLong = "Replay runs the references, barriers and locks of each trace on each machine and says where the time goes: E(Instr),\n" +
	"the time of the run over the instructions of all processors, in nanoseconds, and its parts. ideal is instructions and\n" +
	"cache latency if every reference hit, latency what memory and network take on an idle machine, contention the waiting\n" +
	"for what others use, sync the waiting at barriers, for locks, and at the end for the slowest. A trace may have fewer\n" +
	"processors than the machine; the others take no part, and nodes without any are not in the network. Clusters may have\n" +
	"unequal nodes: each --node takes the place of one of the last, with its own processors, clock, caches, memory and disk; or\n" +
	"the machine's file has them as [[node]]. Then all processors must take part.\n\n" +
	"Caches begin empty, as those of a program that is started. With --warm each machine runs the trace twice, and the second run is\n" +
	"told of: for times of a benchmark that repeats, or of one step of many.\n\n" +
	"--quanta DIR cuts simulated time into quanta and leaves in DIR what each processor does in them, as analyze --run quanta\n" +
	"does of a clock that misses do not stop; with footprints of analyze beside them they are for predict windtunnel.\n\n" + replayTargets +
	"Traces that pass messages, or whose events have times of their own and nothing else, run on the machine's processors and\n" +
	"network: package engine of the source says what a message takes. The parts of a processor's time are compute, overhead (of\n" +
	"sending and receiving), latency (waiting for a message on its way), contention (for ports and links, and where messages could\n" +
	"overtake others, for those that their sender sent the same receiver before) and wait (for a message that is not sent yet). On\n" +
	"logp networks a sender that waits until its message has left (one that is long, or nonblocking) has as contention also what the\n" +
	"message then waits at its receiver's port, up to the time that it waits.\n" +
	"References are not simulated then, unless the trace also has locks, flags, forks or task queues, or --references asks for them:\n" +
	"then one simulation runs both, in the parts ideal, memory_latency, memory_contention and sync and those of messages.\n" +
	"Traces without messages, as those of one processor are, have their references simulated, but for --references=false. So\n" +
	"a program that passes messages is simulated in one way on 1, 2 and 4 processors with --references, or with --references=false.\n" +
	"Messages and the memories' traffic share the links of a network that has links. --semantics loggopsim charges messages as\n" +
	"LogGOPSim does.\n\n" +
	"--path prints what had to take as long as it did: it goes back from the end, from messages that were waited for to their\n" +
	"senders, and adds up to the time; what a message waited for in ports, on links and behind its sender's earlier ones is its\n" +
	"contention, and counted from the message that held it up, but where messages share links.\n" +
	"--timeline is for viewers: events, messages, and on what processors spend their time.\n\n" +
	"Collectives that a trace has whole are simulated as the messages of --collectives. linear is a message between the root and\n" +
	"every other rank, binomial a tree; doubling is recursive doubling (allreduce, scan), Bruck's algorithms (allgather, alltoall),\n" +
	"dissemination (barrier) and trees; ring is rings, a chain (scan), pairs in rounds (alltoall), and the same as doubling for the others.\n" +
	"To post a receive takes no time: o_r is for taking the message.\n\n" +
	"With --engine quantum or whoa, the --workers simulate one trace together, each some processors: results are the same, and\n" +
	"a note says which engine ran. Workers of quantum meet after every quantum; those of whoa [dickens1996] go on up to the first\n" +
	"message that others may send them, by what is known of their next events (--ahead): they meet less often, where messages between\n" +
	"workers are few. Where looking ahead costs more than the meetings that it saves, which it does for many processors to a worker, they\n" +
	"leave it for a time and meet after every lookahead, unless --ahead is given. Quantum is for 1024 processors and more, on a host with\n" +
	"nothing else to do, and whoa hardly slower. Networks of links run on one worker.\n" +
	"--engine-stats counts windows, events in them, and appointments, which do not depend on the host, and a note says why a network takes one worker: with a worker for each\n" +
	"processor and several --ahead it is the experiment of [dickens1996, Tab. 3].\n\n" +
	"Arguments that end in .toml are machines too, so that --machine data/machine/*.toml works. With --format json, one\n" +
	"trace and one machine are a single object with the time in seconds of each processor."

func (o *replayOptions) run(ctx context.Context, env *stage.Env, args []string) error {
	prefixes, machines := splitReplayArgs(args, o.machines)
	switch {
	case len(prefixes) == 0:
		return stage.Usage("no trace; give the PREFIX of its files")
	case len(machines) == 0:
		return noMachine()
	case o.workers < 1:
		return stage.Usage("--workers %d; it takes at least one", o.workers)
	}
	o.messages.slices = o.memory.phases
	if err := o.memory.check(); err != nil {
		return err
	}
	o.memory.opt.Warm = o.warm
	if err := errors.Join(o.messages.check(), o.checkQuanta()); err != nil {
		return err
	}
	sims, done, err := openSimulations(env, prefixes, machines, o.nodes)
	defer done()
	if err != nil {
		return err
	}
	if sims, err = o.fitting(env, sims); err != nil {
		return err
	}
	return o.simulate(ctx, env, sims)
}

// simulate runs all simulations in the way of their traces, and reports them.
func (o *replayOptions) simulate(ctx context.Context, env *stage.Env, sims []*simulation) error {
	kind, err := o.kind(sims)
	if err == nil && kind != byMessages {
		warnOfSamples(env, sims)
	}
	switch {
	case err != nil:
		return err
	case kind == byBoth:
		return o.runMixed(ctx, env, sims)
	case kind == byMessages && o.quanta.dir != "":
		return fmt.Errorf("cutting %s: it passes messages, whose time is not cut into quanta", sims[0].prefix)
	case kind == byMessages && o.warm:
		return fmt.Errorf("replaying %s: it passes messages, whose replay has no caches that --warm could fill", sims[0].prefix)
	case kind == byMessages:
		return o.runMessages(ctx, env, sims)
	case o.quanta.dir != "":
		return o.runQuanta(ctx, env, sims, o.memory.opt)
	}
	if err := simulateAll(ctx, env, sims, o.memory.opt, o.workers); err != nil {
		return err
	}
	o.noteReferences(env, sims)
	for _, s := range sims {
		for _, w := range s.result.Warnings {
			env.Note("%s: %v", s.name(), w)
		}
	}
	return o.report(env, sims)
}

// splitReplayArgs tells machines from traces.
func splitReplayArgs(args, machines []string) (prefixes, all []string) {
	all = append(all, machines...)
	for _, a := range args {
		if filepath.Ext(a) == ".toml" {
			all = append(all, a)
		} else {
			prefixes = append(prefixes, a)
		}
	}
	return prefixes, all
}

// report prints the results and writes them to a file if that is asked for.
func (o *replayOptions) report(env *stage.Env, sims []*simulation) error {
	var rows []memoryRow
	for _, s := range sims {
		rows = append(rows, newMemoryRow(s.trace.Header().Title(), s.trace.SHA256(), s.machine, s.result, recordedTasks))
	}
	out := memoryReport{memoryFlags: o.memory, format: o.format, output: o.output}
	return out.print(env.Out, rows)
}

// replayTargets says what there is to run a trace on. A test holds it to all that there are.
const replayTargets = "What a machine is, its file says as system.target:\n" +
	"  smp     processors with private caches on one memory bus, perhaps with a shared last level [du2000]\n" +
	"  cow     cluster of workstations with shared memory in software [du2000]\n" +
	"  clump   cluster of smps [du2000]\n" +
	"  ccnuma  distributed memory, caches kept coherent by directories [sivasubramaniam1995]\n" +
	"  logp    the same without caches, its network abstracted by L and g\n" +
	"  clogp   logp with caches whose coherence is free\n" +
	"  dir1sw  one pointer a line, and software for the rest [falsafi1997]\n" +
	"cow and clump page if they have a [disk]; nothing else does. A network whose gap is that of the traffic is simulated\n" +
	"twice, first to see the traffic. memory_utilization is for how much of the time the busiest memory, with its bus,\n" +
	"was held, network_utilization that of the busiest link or port.\n\n"

var replayExample = strings.TrimRight(`
  $ tracegen fft --procs 2 --set points=1024 -o fft
  $ predict replay fft --machine data/machine/du2000-smp-256k.toml
  $ predict replay fft --machine data/machine/du2000-smp-256k.toml --phases --format csv
  $ predict replay fft --machine data/machine/du2000-smp-256k.toml --machine data/machine/du2000-smp-512k.toml -o fft.simulation.arrow
  $ predict replay fft --machine data/machine/spasm-mesh.toml
  $ predict replay fft --machine data/machine/example-desktop.toml --warm
  $ predict replay fft data/machine/spasm-mesh-clogp.toml data/machine/spasm-mesh-logp.toml data/machine/wwt-dir1sw.toml --format csv
  $ tracegen sor --procs 4 --set g=8 --set iterations=20 --refs=false -o sor
  $ predict replay sor --machine data/machine/loggp-example.toml
  $ predict replay sor --machine data/machine/loggp-example.toml --matrix --format csv
  $ tracegen convshift --procs 4 --set l=64 -o convshift
  $ predict replay convshift --machine data/machine/du2000-clump-2x2-256k-155m.toml --references
  $ predict replay sor --machine data/machine/loggp-example.toml --engine whoa --workers 4 --engine-stats
  $ predict replay sor --machine data/machine/loggp-example.toml --path processor --timeline sor.json`[1:], "\n")
