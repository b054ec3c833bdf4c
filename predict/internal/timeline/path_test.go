package timeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// The costs of the cases: 10 bytes take 5 + 20 + 18 + 5, and a message of more than 100 bytes asks.
var model = cost.Model{Send: 5, Receive: 5, Latency: 20, Gap: 8, PerByte: 2, EagerLimit: 100}

func run(t testing.TB, m cost.Model, ops [][]program.Op, obs observe.Observer) *outcome.Result {
	t.Helper()
	var programs []program.Program
	for _, all := range ops {
		left := program.Pack(all...)
		programs = append(programs, program.Program{Next: func() (program.Ops, error) {
			now := left
			left = program.Ops{}
			return now, nil
		}})
	}
	res, err := engine.Run(context.Background(), programs, engine.Options{Model: m, Observer: obs, Steps: dissemination(len(ops))})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func op(k program.Kind, work unit.Picos, peer int32, bytes int64) program.Op {
	return program.Op{Kind: k, Work: work, Peer: peer, Bytes: bytes, Request: program.None, Group: program.None}
}

func path(t testing.TB, m cost.Model, ops [][]program.Op) (texts []string) {
	t.Helper()
	p := NewPath(len(ops))
	res := run(t, m, ops, p)
	for _, s := range p.CriticalPath(res.Time) {
		texts = append(texts, fmt.Sprintf("%d %v %d+%d", s.Rank, s.Part, s.Begin, s.T))
	}
	return texts
}

// linked is the overheads of model over links of a gigabyte a second, a byte in 1000 ps, or of that many times it.
func linked(t testing.TB, of network.Model, nodes int, times unit.BytesPerSecond) cost.Model {
	t.Helper()
	net, err := of.New(network.Config{Nodes: nodes, Bandwidth: 1e9 * times, Efficiency: 1, L: 20_011, Gap: 8_117, GapPerByte: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	m := cost.Model{Send: 5, Receive: 5, EagerLimit: 100, Net: net}
	m.Node = func(rank int32) int { return int(rank) }
	return m
}

func TestPathsByHand(t *testing.T) {
	ports := model
	ports.ReceiverPort = true
	interrupts := model
	interrupts.Interrupts, interrupts.Interrupt = true, 30
	bus := func() cost.Model { return linked(t, network.Wormhole("bus"), 4, 1) }
	for name, c := range map[string]struct {
		model cost.Model
		ops   [][]program.Op
		want  []string
	}{
		"one message": {model, [][]program.Op{{op(program.Send, 7, 1, 10)}, {op(program.Recv, 9, 0, 0), op(program.Compute, 3, 0, 0)}},
			[]string{"0 ideal 0+7", "0 overhead 7+5", "1 message_latency 12+38", "1 overhead 50+5", "1 ideal 55+3"}},
		"late receiver": {model, [][]program.Op{{op(program.Send, 0, 1, 10)}, {op(program.Recv, 90, 0, 0)}},
			[]string{"1 ideal 0+90", "1 overhead 90+5"}},
		// The first byte comes at 32. The interrupt takes 30 and the 18 of the other bytes.
		"interrupt": {interrupts, [][]program.Op{{op(program.Send, 7, 1, 10)}, {op(program.Recv, 90, 0, 0)}},
			[]string{"1 ideal 0+32", "1 overhead 32+48", "1 ideal 80+58", "1 overhead 138+5"}},
		// The request comes at 25 and is answered at 100, when the receive is posted: the sender is asked to
		// send at 100 + 5 + 20 + 5 + 5, and 101 bytes take 20 + 200.
		"late receiver of a long message": {model, [][]program.Op{{op(program.Send, 0, 1, 101)}, {op(program.Recv, 100, 0, 0)}},
			[]string{"1 ideal 0+100", "1 message_latency 100+255", "1 overhead 355+5"}},
		"late sender of a long message": {model, [][]program.Op{{op(program.Send, 100, 1, 101)}, {op(program.Recv, 0, 0, 0)}},
			[]string{"0 ideal 0+100", "0 overhead 100+5", "1 message_latency 105+280", "1 overhead 385+5"}},
		// The second message is taken in from 25 + 26 on, because the first one came at 25.
		"fan-in": {ports, [][]program.Op{{op(program.Recv, 0, 1, 0), op(program.Recv, 0, 2, 0)}, {op(program.Send, 0, 0, 10)}, {op(program.Send, 0, 0, 10)}},
			[]string{"1 overhead 0+5", "0 message_contention 5+26", "0 message_latency 31+38", "0 overhead 69+5"}},
		// The second message leaves when the port is free, at 5 + 26, so that its sender goes on at 26.
		"own port": {model, [][]program.Op{{op(program.Send, 0, 1, 10), op(program.Send, 0, 1, 10)}, {op(program.Recv, 0, 0, 0), op(program.Recv, 0, 0, 0)}},
			[]string{"0 overhead 0+5", "0 message_contention 5+21", "0 overhead 26+5", "1 message_latency 31+38", "1 overhead 69+5"}},
		// Rank 3's message of 10 ns waits for rank 1's, which had the bus from 1 + 5 on; its way is counted from there.
		"bus": {bus(), [][]program.Op{{op(program.Recv, 0, 1, 0)}, {op(program.Send, 1, 0, 20)}, {op(program.Recv, 0, 3, 0)}, {op(program.Send, 4, 2, 10)}},
			[]string{"1 ideal 0+1", "1 overhead 1+5", "2 message_contention 6+20000", "2 message_latency 20006+10000", "2 overhead 30006+5"}},
		// The request waits as long, and takes the bus for 1; it is read and answered in 5 each, and so is the answer.
		"rendezvous over a bus": {bus(), [][]program.Op{{op(program.Recv, 0, 1, 0)}, {op(program.Send, 1, 0, 20)}, {op(program.Recv, 0, 3, 0)}, {op(program.Send, 4, 2, 101)}},
			[]string{"1 ideal 0+1", "1 overhead 1+5", "2 message_contention 6+20000", "2 message_latency 20006+101022", "2 overhead 121028+5"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := path(t, c.model, c.ops)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s:\ngot  %v\nwant %v", name, got, c.want)
			}
		})
	}
}

// wholePath is the critical path of a run, which has no gaps and takes its time, as the parts of each rank take the rank's.
func wholePath(t *testing.T, p *Path, res *outcome.Result) []Segment {
	t.Helper()
	path := p.CriticalPath(res.Time)
	at := unit.Picos(0)
	for _, s := range path {
		if s.Begin != at || s.T <= 0 {
			t.Fatalf("%+v after %d", s, at)
		}
		at += s.T
	}
	if at != res.Time {
		t.Fatalf("the path takes %d, the run %d", at, res.Time)
	}
	for i := range res.Ranks {
		sum := unit.Picos(0)
		for _, part := range res.Ranks[i].Parts {
			sum += part
		}
		if sum != res.Ranks[i].Time {
			t.Fatalf("the parts of rank %d take %d, the rank %d", i, sum, res.Ranks[i].Time)
		}
	}
	return path
}

// links are networks by number in which messages wait for each other.
func links(t testing.TB, number uint64, nodes int) cost.Model {
	all := []network.Model{network.Wormhole("bus"), network.Switch{}, network.Wormhole("full"), network.Wormhole("mesh"), network.Wormhole("torus"), network.Wormhole("fattree"), network.LogP{}, network.LogGP{}}
	return linked(t, all[number%8], nodes, 1+unit.BytesPerSecond(number/8%3)*4)
}

// A critical path over links has no gaps either. Who computes longer on it may make others of a time with it go first, and then the run shorter; almost
// always it is longer.
func TestPathsOverLinks(t *testing.T) {
	longer, all, contended := 0, 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 2))
		ops := random(rng, 2+rng.IntN(6))
		p := NewPath(len(ops))
		res := run(t, links(t, seed, len(ops)), ops, p)
		for _, s := range wholePath(t, p, res) {
			if s.Part == observe.Contention {
				contended++
			}
			if s.Part == observe.Computing {
				all++
				if run(t, links(t, seed, len(ops)), delayed(p, ops, s), nil).Time > res.Time {
					longer++
				}
			}
		}
	}
	if all < 1000 || longer < all-all/100 || contended < 500 {
		t.Errorf("%d of %d are longer, %d wait for others", longer, all, contended)
	}
}

// Where messages share links, what others took of the bandwidth is a message's own contention.
func TestPathsOverSharedLinks(t *testing.T) {
	contended := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		ops := random(rng, 2+rng.IntN(6))
		m := &machine.Machine{Processor: machine.Processor{Clock: 1e9}, Network: &machine.Network{Model: []string{"bus", "switch", "mesh", "torus"}[seed%4], Efficiency: 1, Sharing: []string{machine.ShareMaxMin, machine.SharePackets}[seed/4%2], Packet: 64,
			Bandwidth: machine.Optional[unit.BytesPerSecond]{Value: 1e9, Known: true}}}
		net, err := network.NewSharedLinks(m, len(ops))
		if err != nil {
			t.Fatal(err)
		}
		p := NewPath(len(ops))
		res := run(t, cost.Model{Send: 5, Receive: 5, EagerLimit: 100, Shared: net, Node: func(rank int32) int { return int(rank) }}, ops, p)
		for _, s := range wholePath(t, p, res) {
			if s.Part == observe.Contention {
				contended++
			}
		}
	}
	if contended < 100 {
		t.Errorf("%d wait for others", contended)
	}
}

// delayed is ops with a picosecond more of the computation that is a segment.
func delayed(p *Path, ops [][]program.Op, s Segment) [][]program.Op {
	out := slices.Clone(ops)
	out[s.Rank] = slices.Clone(ops[s.Rank])
	begin, before := unit.Picos(0), unit.Picos(0) // how long the rank has computed
	for _, x := range p.ranks[s.Rank].periods {
		if x.part == observe.Computing && x.to <= s.Begin {
			before += x.to - begin
		}
		begin = x.to
	}
	for i := range out[s.Rank] {
		if before -= out[s.Rank][i].Work; before < 0 {
			out[s.Rank][i].Work++
			break
		}
	}
	return out
}

// random is programs of rounds: every rank posts its receives, sends, and waits for all.
func random(rng *rand.Rand, ranks int) [][]program.Op {
	ops := make([][]program.Op, ranks)
	for round := range int32(4) {
		posts, sends := make([][]program.Op, ranks), make([][]program.Op, ranks)
		for range rng.IntN(3 * ranks) {
			from, to := rng.IntN(ranks), rng.IntN(ranks)
			if from == to {
				continue
			}
			send, recv := op(program.Isend, 0, int32(to), int64(rng.IntN(150))), op(program.Irecv, 0, int32(from), 0)
			send.Tag, recv.Tag = round, round
			sends[from], posts[to] = append(sends[from], send), append(posts[to], recv)
		}
		for r := range ranks {
			begin := len(ops[r])
			ops[r] = append(append(ops[r], posts[r]...), sends[r]...)
			for i := begin; i < len(ops[r]); i++ {
				ops[r][i].Request = int32(i)
			}
			for i := range ops[r][begin:] {
				ops[r] = append(ops[r], program.Op{Kind: program.Wait, Request: int32(begin + i)})
			}
			ops[r] = append(ops[r], op(program.Compute, 1+unit.Picos(rng.IntN(200000)), 0, 0))
		}
	}
	return ops
}
