package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// The costs of the cases: a message of 10 bytes has (s-1) G = 18, and g + (s-1) G = 26.
const (
	o       unit.Picos = 5
	l       unit.Picos = 20
	g       unit.Picos = 8
	perByte            = 2
)

func loggp() cost.Model {
	return cost.Model{Send: o, Receive: o, Latency: l, Gap: g, PerByte: perByte, EagerLimit: -1}
}

func receiver() cost.Model {
	m := loggp()
	m.ReceiverPort = true
	return m
}

func loggopsim() cost.Model {
	m := loggp()
	m.LogGOPSim = true
	return m
}

// long is m with S = 100.
func long(m cost.Model) cost.Model {
	m.EagerLimit = 100
	return m
}

func work(t unit.Picos) program.Op {
	return program.Op{Kind: program.Compute, Work: t, Request: program.None, Group: program.None}
}
func send(to int32, bytes int64) program.Op {
	return program.Op{Kind: program.Send, Peer: to, Bytes: bytes, Request: program.None, Group: program.None}
}
func recv(from int32) program.Op {
	return program.Op{Kind: program.Recv, Peer: from, Request: program.None, Group: program.None}
}
func isend(to int32, bytes int64, request int32) program.Op {
	return program.Op{Kind: program.Isend, Peer: to, Bytes: bytes, Request: request, Group: program.None}
}
func irecv(from, request int32) program.Op {
	return program.Op{Kind: program.Irecv, Peer: from, Request: request, Group: program.None}
}
func wait(request int32) program.Op {
	return program.Op{Kind: program.Wait, Request: request, Group: program.None}
}
func probe(from int32) program.Op {
	return program.Op{Kind: program.Probe, Peer: from, Request: program.None, Group: program.None}
}

// programs gives each rank its operations, some at a time.
func programs(ranks [][]program.Op, batch int) (all []program.Program) {
	for _, ops := range ranks {
		all = append(all, inBatches(program.Pack(ops...), batch))
	}
	return all
}

func inBatches(ops program.Ops, batch int) program.Program {
	return program.Program{Next: func() (program.Ops, error) {
		n := ops.Len()
		if batch > 0 {
			n = min(n, batch)
		}
		next := ops.Slice(0, n)
		ops = ops.Slice(n, ops.Len())
		return next, nil
	}}
}

func ranks(all ...[]program.Op) [][]program.Op { return all }
func does(ops ...program.Op) []program.Op      { return ops }

var goldens = []struct {
	name  string
	ranks [][]program.Op
	// When each rank ends, in LogGP, with the receiver's port, and in LogGOPSim's semantics.
	loggp, receiver, loggopsim []unit.Picos
	long                       bool // S = 100
}{
	{name: "one message", // leaves at 5, first byte at 25, last at 43, taken by 48; LogGOPSim: 25 + o + 18
		ranks: ranks(does(send(1, 10)), does(recv(0))),
		loggp: at(5, 48), receiver: at(5, 48), loggopsim: at(5, 48)},
	{name: "one message of no bytes", // as of one byte: 5 + 20 + 5
		ranks: ranks(does(send(1, 0)), does(recv(0))),
		loggp: at(5, 30), receiver: at(5, 30), loggopsim: at(5, 30)},
	{name: "ping-pong", // twice 48; rank 1 has sent at 48 + 5
		ranks: ranks(does(send(1, 10), recv(1)), does(recv(0), send(0, 10))),
		loggp: at(96, 53), receiver: at(96, 53), loggopsim: at(96, 53)},
	{name: "two sends", // the second begins at 26, leaves at 31, first byte at 51, last at 69
		ranks: ranks(does(send(1, 10), send(1, 10)), does(recv(0), recv(0))),
		loggp: at(31, 74), receiver: at(31, 74), loggopsim: at(31, 74)},
	{name: "two isends", // the same, but the processor has done with both at 10; LogGOPSim's waits for g
		ranks: ranks(does(isend(1, 10, 1), isend(1, 10, 2), wait(1), wait(2)), does(recv(0), recv(0))),
		loggp: at(10, 74), receiver: at(10, 74), loggopsim: at(31, 74)},
	{name: "two sends of a byte", // g is between them: 0 and 8, first bytes at 25 and 33
		ranks: ranks(does(send(1, 1), send(1, 1)), does(recv(0), recv(0))),
		loggp: at(13, 38), receiver: at(13, 38), loggopsim: at(13, 38)},
	{name: "fan-in", // first bytes of both at 25. LogGP: rank 2's is taken up at 25 + g, ends at 51.
		// With the port, at 25 + 26 = 51, and ends at 69. LogGOPSim: 25 to 48, 51 to 74.
		ranks: ranks(does(recv(1), recv(2)), does(send(0, 10)), does(send(0, 10))),
		loggp: at(56, 5, 5), receiver: at(74, 5, 5), loggopsim: at(74, 5, 5)},
	{name: "token ring", // 48 for each hop, and a send
		ranks: ranks(does(send(1, 10), recv(2)), does(recv(0), send(2, 10)), does(recv(1), send(0, 10))),
		loggp: at(144, 53, 101), receiver: at(144, 53, 101), loggopsim: at(144, 53, 101)},
	{name: "simultaneous ring", // all at once
		ranks: ranks(does(send(1, 10), recv(2)), does(send(2, 10), recv(0)), does(send(0, 10), recv(1))),
		loggp: at(48, 48, 48), receiver: at(48, 48, 48), loggopsim: at(48, 48, 48)},
	{name: "late receiver", // the message is there at 43. LogGOPSim's processor takes it up at 100, for 23
		ranks: ranks(does(send(1, 10)), does(work(100), recv(0))),
		loggp: at(5, 105), receiver: at(5, 105), loggopsim: at(5, 123)},
	{name: "early receive", // posted before the work, which LogGOPSim's does not interrupt
		ranks: ranks(does(send(1, 10)), does(irecv(0, 7), work(100), wait(7))),
		loggp: at(5, 105), receiver: at(5, 105), loggopsim: at(5, 123)},
	{name: "rendezvous", long: true, // (s-1) G = 200. Request at 25, read by 30, answer leaves at 35, comes at 55,
		// read by 60, message leaves from 65 to 265, comes from 85 to 285. LogGOPSim: 25 + 205; rank 0 goes on at 25 and a picosecond
		ranks: ranks(does(send(1, 101)), does(recv(0))),
		loggp: at(265, 290), receiver: at(265, 290), loggopsim: at(26, 230)},
	{name: "rendezvous with a late receiver", long: true, // answer leaves at 105, comes at 125, message from 135 to 335, comes from 155 to 355. LogGOPSim: taken up at 100
		ranks: ranks(does(send(1, 101)), does(work(100), recv(0))),
		loggp: at(335, 360), receiver: at(335, 360), loggopsim: at(101, 305)},
	{name: "rendezvous and other work", long: true, // the isend is over at 265, rank 0 has done its work at 1005
		ranks: ranks(does(isend(1, 101, 0), work(1000), wait(0)), does(recv(0))),
		loggp: at(1005, 290), receiver: at(1005, 290), loggopsim: at(1005, 230)},
	{name: "as long as S", long: true, // (s-1) G = 198: 25 + 198 + 5
		ranks: ranks(does(send(1, 100)), does(recv(0))),
		loggp: at(5, 228), receiver: at(5, 228), loggopsim: at(5, 228)},
	{name: "any source", // rank 2's comes at 25, last at 43; rank 1's at 35, last at 53. With the port: 51 to 69. LogGOPSim: 51 to 74
		ranks: ranks(does(recv(program.None), recv(program.None)), does(work(10), send(0, 10)), does(send(0, 10))),
		loggp: at(58, 15, 5), receiver: at(74, 15, 5), loggopsim: at(74, 15, 5)},
	{name: "any source, then one source", // rank 2's is taken by who comes first, and the other waits for rank 1's
		ranks: ranks(does(irecv(program.None, 1), recv(1), work(100), wait(1)), does(work(10), send(0, 10)), does(send(0, 10))),
		// 53 + 5, work until 158, and 5 for rank 2's. LogGOPSim: 74 + 100
		loggp: at(163, 15, 5), receiver: at(69+5+100+5, 15, 5), loggopsim: at(174, 15, 5)},
	{name: "probe", // is there at 43, which is not taken yet; then work until 53, taken by 58. LogGOPSim: 48 + 10
		ranks: ranks(does(send(1, 10)), does(probe(0), work(10), recv(0))),
		loggp: at(5, 58), receiver: at(5, 58), loggopsim: at(5, 58)},
	{name: "to itself", // o and o; LogGOPSim has no such case
		ranks: ranks(does(send(0, 10), recv(0))),
		loggp: at(10), receiver: at(10), loggopsim: at(48)},
	{name: "eight into one", // 1001 bytes: (s-1) G = 2000. Port: 25 + 7 (8 + 2000) + 2000 + 5. LogGOPSim: 25 + 7 (8 + 2000) + 2005.
		// LogGP: the last first byte is taken up at 25 + 7 g = 81, so all are there at 2081, and taken by 2025 + 8 o at least, or 2086
		ranks: eightIntoOne(),
		loggp: at(2086, 5, 5, 5, 5, 5, 5, 5, 5), receiver: at(16086, 5, 5, 5, 5, 5, 5, 5, 5), loggopsim: at(16086, 5, 5, 5, 5, 5, 5, 5, 5)},
}

func eightIntoOne() [][]program.Op {
	all := make([][]program.Op, 9)
	for i := range int32(8) {
		all[0] = append(all[0], recv(i+1))
		all[i+1] = does(send(0, 1001))
	}
	return all
}

func at(t ...unit.Picos) []unit.Picos { return t }

func TestGolden(t *testing.T) {
	for _, c := range goldens {
		for _, m := range []struct {
			name string
			cost.Model
			want []unit.Picos
		}{{"loggp", loggp(), c.loggp}, {"receiver", receiver(), c.receiver}, {"loggopsim", loggopsim(), c.loggopsim}} {
			if c.long {
				m.Model = long(m.Model)
			}
			t.Run(strings.ReplaceAll(c.name, " ", "-")+"/"+m.name, func(t *testing.T) {
				res, err := Run(context.Background(), programs(c.ranks, 1), Options{Model: m.Model})
				if err != nil {
					t.Fatal(err)
				}
				var got []unit.Picos
				for _, r := range res.Ranks {
					got = append(got, r.Time)
				}
				if fmt.Sprint(picos(got)) != fmt.Sprint(picos(m.want)) {
					t.Errorf("ranks end at %v, want %v", picos(got), picos(m.want))
				}
				checkParts(t, res)
			})
		}
	}
}

func picos(all []unit.Picos) (n []int64) {
	for _, t := range all {
		n = append(n, int64(t))
	}
	return n
}

// checkParts holds that the parts add up.
func checkParts(t *testing.T, res *outcome.Result) {
	t.Helper()
	for i, r := range res.Ranks {
		sum := unit.Picos(0)
		for _, part := range r.Parts {
			sum += part
		}
		if sum != r.Time {
			t.Errorf("rank %d: parts %v add up to %d, and it ends at %d", i, picos(r.Parts[:]), sum, r.Time)
		}
	}
}

// Where time goes, by part: compute, overhead, latency, contention, wait.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		name  string
		ranks [][]program.Op
		want  [][]int64
	}{
		// Rank 1 waits for 43: 5 until the message leaves, 38 on its way.
		{"one message", ranks(does(send(1, 10)), does(recv(0))), [][]int64{{0, 5, 0, 0, 0}, {0, 5, 38, 0, 5}}},
		// Of what it waits for, nothing was on its way before 995 + 5.
		{"late sender", ranks(does(work(995), send(1, 10)), does(recv(0))), [][]int64{{995, 5, 0, 0, 0}, {0, 5, 38, 0, 1000}}},
		// The second send waits from 5 to 26. Rank 1 takes the first at 48, and waits until 69: 38 of that on its way.
		{"two sends", ranks(does(send(1, 10), send(1, 10)), does(recv(0), recv(0))), [][]int64{{0, 10, 0, 21, 0}, {0, 10, 38 + 21, 0, 5}}},
		// The second message leaves at 31 instead of 10: 21 late, which is all that rank 1 waits for.
		{"two isends", ranks(does(isend(1, 10, 1), isend(1, 10, 2)), does(recv(0), recv(0))), [][]int64{{0, 10, 0, 0, 0}, {0, 10, 38, 21, 5}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := Run(context.Background(), programs(c.ranks, 0), Options{Model: loggp()})
			if err != nil {
				t.Fatal(c.name, err)
			}
			for i, r := range res.Ranks {
				if got := picos(r.Parts[1:]); fmt.Sprint(got) != fmt.Sprint(c.want[i]) {
					t.Errorf("rank %d has %v, want %v", i, got, c.want[i])
				}
			}
		})
	}
}
