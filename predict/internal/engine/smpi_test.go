package engine

import (
	"context"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// Two ranks of SMPI on an ideal network of 1 GB/s, in which a message of s bytes takes s + 16 ns. Sends have an overhead of 1
// us, nonblocking ones of 2 us, and receives of 3 us; S is 1000 bytes.
func TestSMPIProtocol(t *testing.T) {
	const us = unit.Picos(1e6)
	work := func(long unit.Picos, op program.Op) program.Op { op.Work = long; return op }
	send := func(kind program.Kind, bytes int64) program.Op {
		return program.Op{Kind: kind, Peer: 1, Bytes: bytes, Request: 1}
	}
	recv := program.Op{Kind: program.Recv, Peer: 0}
	wait := program.Op{Kind: program.Wait, Request: 1}
	carry := func(bytes int64) unit.Picos { return unit.Picos(bytes+16) * 1000 }
	for _, row := range []struct {
		what     string
		early    int64
		ops      [2][]program.Op
		sender   unit.Picos
		receiver unit.Picos
	}{
		{"a small message waits for its receive, but its sender does not", 0, [2][]program.Op{{send(program.Send, 1000)}, {work(50*us, recv)}}, us, 50*us + carry(1000) + 3*us},
		{"a large one holds its sender, and has no overheads", 0, [2][]program.Op{{send(program.Send, 1001)}, {work(50*us, recv)}}, 50*us + carry(1001), 50*us + carry(1001)},
		{"the receive is first", 0, [2][]program.Op{{work(50*us, send(program.Send, 1000))}, {recv}}, 51 * us, 51*us + carry(1000) + 3*us},
		{"a nonblocking large one", 0, [2][]program.Op{{send(program.Isend, 5000), work(70*us, wait)}, {work(50*us, recv)}}, 72 * us, 50*us + carry(5000)},
		{"and one that waits", 0, [2][]program.Op{{send(program.Isend, 5000), wait}, {work(50*us, recv)}}, 50*us + carry(5000), 50*us + carry(5000)},
		{"an early message does not wait for its receive", 101, [2][]program.Op{{send(program.Send, 100)}, {work(50*us, recv)}}, us, 53 * us},
		{"one at the limit does", 100, [2][]program.Op{{send(program.Send, 100)}, {work(50*us, recv)}}, us, 50*us + carry(100) + 3*us},
	} {
		t.Run(row.what, func(t *testing.T) {
			m, err := machine.ParsePart("m.toml", []byte("[network]\nmodel = \"ideal\"\nlatency = \"0 ns\"\nbandwidth = \"1 GB/s\"\n[network.simgrid]\nbw_factor = \"0:1\"\nlat_factor = \"0:1\"\n[system]\ntarget = \"cow\"\nprocessors = 1\nnodes = 2\n"))
			if err != nil {
				t.Fatal(err)
			}
			net, err := network.NewSMPI(m, 2)
			if err != nil {
				t.Fatal(err)
			}
			always := func(long unit.Picos) func(int64) unit.Picos { return func(int64) unit.Picos { return long } }
			model := cost.Model{EagerLimit: 1000, Shared: net, Node: func(rank int32) int { return int(rank) },
				SMPI: &cost.SMPI{Early: row.early, Send: always(us), Isend: always(2 * us), Receive: always(3 * us)}}
			var programs []program.Program
			for _, ops := range row.ops {
				all := program.Pack(ops...)
				programs = append(programs, program.Program{Next: func() (program.Ops, error) {
					now := all
					all = program.Ops{}
					return now, nil
				}})
			}
			res, err := Run(context.Background(), programs, Options{Model: model})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []unit.Picos{row.sender, row.receiver} {
				if got := res.Ranks[i].Time; got < want || got > want+2 {
					t.Errorf("rank %d ends at %d ps, want %d", i, int64(got), int64(want))
				}
			}
		})
	}
	bad := cost.Model{SMPI: &cost.SMPI{}}
	if _, err := Run(context.Background(), nil, Options{Model: bad}); err == nil {
		t.Error("no error about SMPI without shared links")
	}
}
