package main

import (
	"context"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"spoor/calibrate/machine"
	"spoor/predict/internal/replay"
	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// memory keeps a recording.
type memory struct{ *trace.Memory }

func (m memory) Refs(b *trace.Refs) error {
	to := &m.RefsOf[b.Proc]
	to.Instr, to.Addr = append(to.Instr, b.Instr...), append(to.Addr, b.Addr...)
	to.Size, to.Op = append(to.Size, b.Size...), append(to.Op, b.Op...)
	return nil
}

func (m memory) Events(b *trace.Events) error {
	m.EventsOf[b.Proc].Rows = append(m.EventsOf[b.Proc].Rows, b.Rows...)
	return nil
}

// record runs a kernel of [sivasubramaniam1995] on 16 processors.
func record(b *testing.B, name string, v kernel.Values) *trace.Memory {
	b.Helper()
	const procs = 16
	k, err := kernel.Find(kernel.Recorded, name)
	if err != nil {
		b.Fatal(err)
	}
	values, err := k.Values(v)
	if err != nil {
		b.Fatal(err)
	}
	inst, err := k.New(values, procs, 1)
	if err != nil {
		b.Fatal(err)
	}
	m := memory{&trace.Memory{RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}}
	for p := range procs {
		m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
	}
	recording, err := spmd.Record(context.Background(), spmd.Options{Procs: procs}, inst.Program, m)
	if err != nil {
		b.Fatal(err)
	}
	m.Head = trace.Header{Program: name, Procs: procs, WorkUnit: trace.WorkInstr, Regions: recording.Regions}
	return m.Memory.InBatches(256 << 10)
}

// BenchmarkMachines replays kernels on the machines of [sivasubramaniam1995] with a mesh, on that of [falsafi1997], and as a
// reference on a bus, one after the other: millions of references a second, the best of all rounds. With
// -cpu 1, by the time of the processor.
func BenchmarkMachines(b *testing.B) {
	names := []string{"spasm-mesh", "spasm-mesh-clogp", "spasm-mesh-clogp-same", "spasm-mesh-logp", "wwt-dir1sw", "du2000-smp-256k"}
	for _, k := range []struct {
		name string
		set  kernel.Values
	}{{"ep", kernel.Values{"numbers": 1 << 20}}, {"is", nil}, {"fftblocked", nil}, {"cg", nil}, {"cholesky", nil}} {
		b.Run(k.name, func(b *testing.B) {
			m := record(b, k.name, k.set)
			best := map[string]float64{}
			for b.Loop() {
				for _, name := range names {
					best[name] = max(best[name], speed(b, m, name))
				}
			}
			for _, name := range names {
				b.ReportMetric(best[name], "Mrefs/s-"+name)
			}
		})
	}
}

// speed replays m on a machine of 16 processors or more.
func speed(b *testing.B, m *trace.Memory, name string) float64 {
	desc, err := machine.Read(filepath.Join("..", "data", "machine", name+".toml"))
	if err != nil {
		b.Fatal(err)
	}
	desc.System.Processors = max(desc.System.Processors, m.Head.Procs/desc.System.Nodes)
	begin := processorTime()
	res, err := replay.Simulate(context.Background(), m, nil, desc, replay.Options{Scope: replay.References})
	if err != nil {
		b.Fatal(err)
	}
	took := processorTime() - begin
	refs := uint64(0)
	for i := range res.Procs {
		refs += res.Procs[i].Refs
	}
	return float64(refs) / took.Seconds() / 1e6
}

// processorTime is the time that this process took on one core, or else that of the day.
func processorTime() time.Duration {
	var u syscall.Rusage
	if runtime.GOMAXPROCS(0) > 1 || syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
