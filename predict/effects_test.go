package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/registry"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/reference"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// modelCommand is the command that runs a model on a trace and its analysis.
func modelCommand(model, trace, machine string) []string {
	analyses := trace + ".out"
	switch model {
	case "windtunnel":
		return []string{"windtunnel", "--params", analyses, "--params", "../data/machine/windtunnel/example.params.toml", "--prices", "../data/price/sgi1993.toml", "--hosts", "1"}
	case "message":
		return []string{"message", trace, "--param", "M1_alpha=20us", "--param", "M1_beta=1ns/B", "--param", "M1_gamma=30ns/line"}
	case "logp":
		return []string{"logp", trace, "--machine", "../data/machine/spasm-mesh.toml"}
	}
	return []string{"cluster", "--params", analyses, "--machine", machine, "--model", model}
}

// testedElsewhere are consumers, besides model messages, whose effects the tests of their packages check.
var testedElsewhere = []string{"analyze", "analyze filter", "predict replay"}

// TestEffectsOfModels runs every model on a trace with and without rows of each operation and kind of event. A used row
// changes the result, a noted one has a note, and a refused one is an error.
//
// It stays beside the command: the thousands of runs are calls, not processes. Other tests of the whole are in internal/repository.
func TestEffectsOfModels(t *testing.T) {
	bin, dir := commandsBuilt(t), t.TempDir()
	machine := describedMachines[0].write(t, -1, keyuse.ListSections)
	names := map[string][]string{}
	consumers, err := reference.Consumers()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range consumers {
		if err := c.Effects.Check(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		names[c.By] = append(names[c.By], strings.Split(c.Name, ",")[0])
	}
	checkNames(t, bin, names["analyze"])
	check := func(op trace.Op, k trace.Kind) {
		for _, messages := range []bool{false, true} {
			with, noted := analyzed(t, bin, filepath.Join(dir, fmt.Sprint("with", op, k, messages), "p"), op, k, true, messages)
			without, _ := analyzed(t, bin, filepath.Join(dir, fmt.Sprint("without", op, k, messages), "p"), op, k, false, messages)
			for _, c := range consumers {
				if !slices.Contains(testedElsewhere, c.By) && c.Name != "messages" && messages == slices.Contains([]string{"message", "logp"}, c.Name) {
					checkModel(t, c, op, k, noted, modelCommand(c.Name, with, machine), modelCommand(c.Name, without, machine))
				}
			}
		}
	}
	for _, op := range trace.Ops {
		check(op, 0)
	}
	for _, k := range trace.Kinds {
		check(0, k)
	}
}

// checkNames compares the analyses of the table with those of the command.
func checkNames(t *testing.T, bin string, names []string) {
	t.Helper()
	out, _ := exec.Command(filepath.Join(bin, "analyze"), "--run", "none", "-o", t.TempDir(), "x").CombinedOutput()
	_, list, _ := strings.Cut(string(out), "known: ")
	list, _, _ = strings.Cut(list, ")")
	for _, name := range regexp.MustCompile(`[a-z_]+`).FindAllString(list, -1) {
		if name != "all" && !slices.Contains(names, name) {
			t.Errorf("reference.Consumers has no row of analysis %s: %s", name, out)
		}
	}
}

// checkModel compares a model's results with and without rows.
func checkModel(t *testing.T, c registry.Consumer, op trace.Op, k trace.Kind, noted string, with, without []string) {
	t.Helper()
	name, effect := op.String(), c.Effects.Ops[op%(trace.Flush+1)]
	if k != 0 {
		name, effect = k.String(), c.Effects.Kinds[k]
	}
	what := fmt.Sprintf("%s: %s is %v", c.Name, name, effect)
	status, out, errs := predict(append(with, "--format", "csv")...)
	if refused := status != 0; refused != (effect == analysis.Refused) {
		t.Errorf("%s, but the status is %d: %s", what, status, errs)
	} else if refused {
		return
	}
	_, base, _ := predict(append(without, "--format", "csv")...)
	same := digestCell.ReplaceAllString(out, "") == digestCell.ReplaceAllString(base, "")
	says := regexp.MustCompile(`\b`+name+`(s|es)?\b`).MatchString(strings.ReplaceAll(noted+errs+out, filepath.Dir(with[2]), "")) ||
		k >= trace.Bcast && strings.Contains(errs, "collectives")
	if effect == analysis.Used && same || effect == analysis.Noted && !says {
		t.Errorf("%s; the result is the same: %v; notes: %s", what, same, noted+errs)
	}
}

// analyzed writes a trace and analyzes it. It returns the path and the notes of the analysis.
func analyzed(t *testing.T, bin, path string, op trace.Op, k trace.Kind, with, messages bool) (prefix, notes string) {
	t.Helper()
	if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	writeEffects(t, path, op, k, with, messages)
	out, err := exec.Command(filepath.Join(bin, "analyze"), "--run", "reuse,locality,phases,quanta,footprint", "--sets", "8,16,32,64",
		"--quantum", "500", "--window", "500", "-o", path+".out", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %s", path, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "no effect of") {
			notes += line
		}
	}
	return path, notes
}

// writeEffects writes a trace of two processors in which rows of an operation or of a kind of event have an effect.
func writeEffects(t *testing.T, path string, op trace.Op, k trace.Kind, with, messages bool) {
	t.Helper()
	head := trace.Header{Program: "p", Format: "spmd", Procs: 2, WorkUnit: trace.WorkInstr}
	w, err := store.Create(path, head)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for p := range 2 {
		refs := trace.Refs{Proc: trace.Proc(p)}
		var rows []trace.Event
		add := func(e trace.Event) { e.Refs = uint64(refs.Len()); rows = append(rows, e) }
		use := func() {
			for i := range uint64(500) {
				refs.Append(3, uint64(p+1)<<20+8*i, 8, trace.Op(1+i%2))
				refs.Append(2, 8*((i*37+uint64(p))%2048), 8, trace.Op(1+i%7/6))
				if i%10 == 0 && op != 0 && with {
					refs.Append(0, 8*((i*37+uint64(p))%2048)^1<<(6+i/10%4), 8, op)
				}
			}
		}
		use()
		add(barrier())
		use()
		if k != 0 {
			a, b := eventsOf(k)
			for _, e := range [][]trace.Event{a, b}[p] {
				if with || len(withoutKind([]trace.Event{e}, k)) > 0 {
					add(e)
				}
				use()
			}
		}
		add(barrier())
		if messages {
			e := trace.NewEvent([]trace.Kind{trace.Send, trace.Recv}[p])
			e.Peer, e.Tag, e.Bytes = int32(1-p), 0, 1000
			add(e)
		}
		use()
		if err := w.Refs(&refs); err != nil {
			t.Fatal(err)
		}
		if err := w.Events(&trace.Events{Proc: trace.Proc(p), Rows: rows}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(head); err != nil {
		t.Fatal(err)
	}
}

func barrier() trace.Event { e := trace.NewEvent(trace.Barrier); e.Peer = 0; return e }

// eventsOf returns events of two processors among which those of a kind have an effect.
func eventsOf(k trace.Kind) (a, b []trace.Event) {
	event := func(k trace.Kind, peer int32, change ...func(*trace.Event)) trace.Event {
		e := trace.NewEvent(k)
		e.Peer, e.Tag = peer, 0
		for _, c := range change {
			c(&e)
		}
		return e
	}
	bytes, request := func(e *trace.Event) { e.Bytes = 100 }, func(e *trace.Event) { e.Request = 1 }
	succeeds := func(e *trace.Event) { e.Count = 1 }
	work := event(trace.Compute, -1, func(e *trace.Event) { e.Work = 5000 })
	send, recv := event(trace.Send, 1, bytes), event(trace.Recv, 0, bytes)
	irecv, wait := event(trace.Irecv, 0, bytes, request), event(trace.Wait, -1, request)
	arrived := func(e *trace.Event) { e.Peer, e.Bytes = 0, 50 }
	switch k {
	case trace.Compute:
		return []trace.Event{work}, nil
	case trace.Send, trace.Recv:
		return []trace.Event{work, send}, []trace.Event{recv}
	case trace.Isend:
		return []trace.Event{work, event(k, 1, bytes, request), wait}, []trace.Event{recv}
	case trace.Irecv, trace.Wait:
		return []trace.Event{work, send}, []trace.Event{irecv, event(trace.Wait, 0, request, arrived), work}
	case trace.Test:
		return []trace.Event{work, send}, []trace.Event{irecv, event(k, 0, request, succeeds, arrived), work}
	case trace.Probe, trace.Iprobe:
		return []trace.Event{work, send}, []trace.Event{event(k, 0, succeeds), work, recv}
	case trace.Lock, trace.Unlock:
		both := []trace.Event{event(trace.Lock, 0), work, event(trace.Unlock, 0)}
		return both, both
	case trace.Signal, trace.WaitFlag:
		return []trace.Event{work, event(trace.Signal, 0)}, []trace.Event{event(trace.WaitFlag, 0, func(e *trace.Event) { e.Tag = 1 })}
	case trace.Fork, trace.Join:
		return []trace.Event{work, event(trace.Fork, 1), event(trace.Join, 1)}, []trace.Event{work}
	case trace.Barrier:
		return []trace.Event{work, event(k, -1)}, []trace.Event{event(k, -1)}
	}
	e := event(k, -1, bytes)
	if e.Collective() && k != trace.AllReduce {
		e.Peer = 0
	}
	return []trace.Event{work, e}, []trace.Event{e}
}

// withoutKind returns the events without those of a kind, and those that are nothing without them.
func withoutKind(events []trace.Event, k trace.Kind) []trace.Event {
	gone := []trace.Kind{k}
	for _, pair := range [][]trace.Kind{{trace.Send, trace.Recv}, {trace.Lock, trace.Unlock}, {trace.Signal, trace.WaitFlag}, {trace.Fork, trace.Join},
		{trace.Isend, trace.Wait, trace.Recv}, {trace.Irecv, trace.Wait, trace.Send}} {
		if k == pair[0] || len(pair) == 2 && k == pair[1] {
			gone = pair
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(e trace.Event) bool { return slices.Contains(gone, e.Kind) })
}
