package replay

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// localMachine is the machine of the message tests in nodes of so many processors, with costs within a node. Its memory
// takes 50 ns, and so many picoseconds for a line of 64 bytes.
func localMachine(t testing.TB, perNode, nodes int, lineOccupancy, network, local string) *machine.Machine {
	t.Helper()
	if network == "" {
		network = "model = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\""
	}
	return messageMachine(t, network+"\n"+local, `latency = "50 cycles"`, "latency = \"50 cycles\"\noccupancy = \""+lineOccupancy+"\"", `target = "cow"`, `target = "clump"`,
		"processors = 1\nnodes = 16", fmt.Sprintf("processors = %d\nnodes = %d", perNode, nodes))
}

// The costs of the closed forms below, in ns: between nodes, and in a node.
const (
	o, l, g, byteG     = 10, 100, 20, 2
	oIn, lIn, gIn, gG  = 4, 30, 6, 0.5
	inNode             = "[network.local]\nL = \"30 ns\"\no = \"4 ns\"\ng = \"6 ns\"\nG = \"0.5 ns/B\""
	fastMemory         = "500 ps" // of a line: 32 copies at once take as long as one by G
	ranks128, wholeRow = 128, 16
)

// sizes are those of nodes, in ranks.
var nodeSizes = []int{1, 2, 4, 8, 16, 32}

// checkEnds compares when ranks end, in ns, with a closed form.
func checkEnds(t *testing.T, src *trace.Memory, m *machine.Machine, want func(rank int) float64) {
	t.Helper()
	res, err := replayMessages(src, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for r, got := range ends(res) {
		if math.Abs(got-want(r)) > 1e-9 {
			t.Fatalf("rank %d ends at %v ns, want %v", r, got, want(r))
		}
	}
}

// halo is an exchange of messages with neighbours: each rank posts its receives, sends to all, and waits in order.
func halo(neighbours func(r int) []int, bytes int64) *trace.Memory {
	all := make([][]trace.Event, ranks128)
	for r := range all {
		to := neighbours(r)
		for i, q := range to {
			all[r] = append(all[r], an(trace.Irecv, with(int32(q)), request(int32(i))))
		}
		for i, q := range to {
			all[r] = append(all[r], an(trace.Isend, with(int32(q)), of(bytes), request(int32(len(to)+i))))
		}
		for i := range 2 * len(to) {
			all[r] = append(all[r], an(trace.Wait, request(int32(i))))
		}
	}
	return messageTrace(all...)
}

// A ring of ranks in which each sends 201 bytes to the next rank, then to the one before it. By hand, in ns, where port = g + 200 G = 420:
//
//	between nodes    the last rank of a node sends at 10; the first one sends after its message to the next rank
//	                 has the processor until 4, at 14. The port is taken until 430. They arrive 500 later, at 510
//	                 and 930, and the receivers take 10.
//	k = 1            the sends of a rank leave at 10 and at 430. It waits for the later one first, and then takes both.
//	in a node        copies take 200 G = 100, and L = 30. The first copy of a rank starts at 4, or at 14 behind a message
//	                 between nodes; the second one 6 + 100 later.
func TestRingInNodes(t *testing.T) {
	src := halo(func(r int) []int { return []int{(r + 1) % ranks128, (r + ranks128 - 1) % ranks128} }, 201)
	const port = g + 200*byteG
	forward, back := float64(o+200*byteG+l), float64(o+port+200*byteG+l) // when those between nodes arrive
	for _, k := range nodeSizes {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			checkEnds(t, src, localMachine(t, k, ranks128/k, fastMemory, "", inNode), func(r int) float64 {
				// From the next rank comes its second message, from the one before its first.
				first, last := r%k == 0, r%k == k-1
				switch {
				case k == 1:
					return back + o + o
				case first: // waits for the next rank, then for what came between nodes
					return forward + o
				case last: // waits for what came between nodes, then for what is there
					return back + o + oIn
				case r%k == k-2: // the first copy of the last rank
					return o + oIn + 200*gG + lIn + oIn + oIn
				default: // the second copy of the next rank
					return oIn + gIn + 200*gG + 200*gG + lIn + oIn + oIn
				}
			})
		})
	}
}

// A torus of 8 rows of 16 ranks, row by row. Each sends 201 bytes up, down, to the left and to the right. By hand: the
// messages between nodes keep the port of a node busy from 10 on, for 420 each. k ranks send up and down: 2 k messages.
// In a row that a node does not hold whole, two go left and right. In two rows of a node, up and down are within the
// node for half of the messages. The last one is sent to the right, or else down, by the last rank of a node. It is there
// 500 after its start. The receiver takes it, and what it waits for behind it.
func TestTorusInNodes(t *testing.T) {
	const columns, port = wholeRow, g + 200*byteG
	src := halo(func(r int) []int {
		row, column := r/columns, r%columns
		at := func(row, column int) int { return (row+8)%8*columns + (column+columns)%columns }
		return []int{at(row-1, column), at(row+1, column), at(row, column-1), at(row, column+1)}
	}, 201)
	for _, k := range nodeSizes {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			messages, behind := 2*k+2, float64(oIn) // from the left it is the third of four, and the right is in the node
			switch {
			case k == 1:
				behind = o
			case k >= columns: // from above it is the first of four
				messages, behind = 2*columns, o+oIn+oIn
			}
			if k > columns {
				behind = oIn + oIn + oIn
			}
			res, err := replayMessages(src, localMachine(t, k, ranks128/k, fastMemory, "", inNode), Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := float64(o+(messages-1)*port+200*byteG+l+o) + behind
			if got := float64(res.Time) / 1000; got != want {
				t.Errorf("ends at %v ns, want %v", got, want)
			}
		})
	}
}

// All ranks send 101 bytes to all others, to the next rank first. By hand: k (128 - k) messages leave each node, the first
// at 10, and keep its port busy for 20 + 200 each. The last one is that of the first rank of a node to the last rank of
// the node before. It is there 200 + 100 after its start, and is the last that its receiver waits for.
func TestAllToAllInNodes(t *testing.T) {
	all := make([][]trace.Event, ranks128)
	for r := range all {
		for i := 1; i < ranks128; i++ {
			all[r] = append(all[r], an(trace.Irecv, with(int32((r+ranks128-i)%ranks128)), request(int32(i))))
		}
		for i := 1; i < ranks128; i++ {
			all[r] = append(all[r], an(trace.Isend, with(int32((r+i)%ranks128)), of(101), request(int32(ranks128+i))))
		}
		for i := 1; i < ranks128; i++ {
			all[r] = append(all[r], an(trace.Wait, request(int32(ranks128+i))))
		}
		for i := 1; i < ranks128; i++ {
			all[r] = append(all[r], an(trace.Wait, request(int32(i))))
		}
	}
	for _, k := range nodeSizes {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			res, err := replayMessages(messageTrace(all...), localMachine(t, k, ranks128/k, fastMemory, "", inNode), Options{})
			if err != nil {
				t.Fatal(err)
			}
			const port = g + 100*byteG
			if got, want := float64(res.Time)/1000, float64(o+(k*(ranks128-k)-1)*port+100*byteG+l+o); got != want {
				t.Errorf("ends at %v ns, want %v", got, want)
			}
		})
	}
}

// An allreduce of 101 bytes by recursive doubling. By hand: the first log2(k) of its 7 rounds are within nodes, and take
// 4 + 50 + 30 + 4 each. In the others, each rank sends to another node, in 10 + 200 + 100 + 10 = 320. The k messages of a
// node leave 20 + 200 apart, in the order of its ranks. Those of the next round leave when their senders have taken this
// round's, and when the port has carried all of this round's.
func TestAllReduceInNodes(t *testing.T) {
	all := make([][]trace.Event, ranks128)
	for r := range all {
		all[r] = rows(an(trace.AllReduce, of(101)))
	}
	for _, k := range nodeSizes {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			inside := bits.Len(uint(k)) - 1
			checkEnds(t, messageTrace(all...), localMachine(t, k, ranks128/k, fastMemory, "", inNode), func(r int) float64 {
				const round, port = o + 100*byteG + l + o, g + 100*byteG
				return float64(inside)*(oIn+100*gG+lIn+oIn) + float64((6-inside)*max(round, k*port)+round+r%k*port)
			})
		})
	}
}

// All ranks of a node send 6401 bytes to the next one at once, in a memory that takes a byte in 0.1 ns. By hand: copies are
// there when the memory has copied them one after the other, 640.1 each, and 30 later. One copy takes 3200 by G, so the
// memory decides from the sixth one on.
func TestCopiesWaitForTheMemory(t *testing.T) {
	for _, k := range nodeSizes[1:] {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			all := make([][]trace.Event, k)
			for r := range k {
				all[r] = rows(an(trace.Isend, with(int32((r+1)%k)), of(6401), request(0)), an(trace.Wait, request(0)), an(trace.Recv, with(int32((r+k-1)%k))))
			}
			checkEnds(t, messageTrace(all...), localMachine(t, k, 2, "6400 ps", "", inNode), func(r int) float64 {
				number := float64((r+k-1)%k + 1) // of its sender, in the order of ranks
				return oIn + max(6400*gG, number*640.1) + lIn + oIn
			})
		})
	}
}

// Costs by distance, in all steps of a message: ranks 0 and 1 are in one unit, 2 in another one of the node, 4 in another
// node. What a level does not give is that of the next larger one, of the memory, or of the network. By hand, in ns.
func TestLevelsByHand(t *testing.T) {
	const unit, node = "[[network.level]]\nname = \"unit\"\nprocessors = 2\n", "[network.local]\n"
	for _, c := range []struct {
		name, local string
		bytes       int64
		want        [3]float64 // when ranks 1, 2 and 4 have the message of rank 0
	}{
		{"memory", "", 101, [3]float64{10 + 10.1 + 50 + 10, 10 + 10.1 + 50 + 10, 10 + 200 + 100 + 10}},
		{"L of a unit", unit + `L = "20 ns"`, 101, [3]float64{10 + 10.1 + 20 + 10, 10 + 10.1 + 50 + 10, 320}},
		{"L of a node", node + `L = "30 ns"`, 101, [3]float64{10 + 10.1 + 30 + 10, 10 + 10.1 + 30 + 10, 320}},
		{"both", unit + "L = \"20 ns\"\no_s = \"1 ns\"\n" + node + "L = \"30 ns\"\no = \"4 ns\"", 101, [3]float64{1 + 10.1 + 20 + 4, 4 + 10.1 + 30 + 4, 320}},
		{"G of a unit", unit + `G = "1 ns/B"`, 101, [3]float64{10 + 100 + 50 + 10, 10 + 10.1 + 50 + 10, 320}},
		{"G faster than the memory", node + `G = "0.01 ns/B"`, 101, [3]float64{80.1, 80.1, 320}},
		// The request is there L later, and read in o; the answer takes o and L, and is read in o; then the message.
		{"S of a unit", unit + `S = "100 B"`, 101, [3]float64{10 + 50 + 10 + 10 + 50 + 10 + 10 + 10.1 + 50 + 10, 80.1, 320}},
		{"S of a node", unit + "L = \"20 ns\"\no = \"1 ns\"\n" + node + "S = \"100 B\"\no_r = \"3 ns\"", 101,
			[3]float64{1 + 20 + 1 + 1 + 20 + 1 + 1 + 10.1 + 20 + 1, 10 + 50 + 3 + 10 + 50 + 3 + 10 + 10.1 + 50 + 3, 320}},
	} {
		for i, to := range []int32{1, 2, 4} {
			t.Run(fmt.Sprint(c.name, " ", to), func(t *testing.T) {
				all := make([][]trace.Event, 5)
				all[0], all[to] = rows(an(trace.Send, with(to), of(c.bytes))), rows(an(trace.Recv, with(-1)))
				res, err := replayMessages(messageTrace(all...), localMachine(t, 4, 2, "6400 ps", "", c.local), Options{})
				if err != nil {
					t.Fatal(err)
				}
				if got := ends(res)[to]; math.Abs(got-c.want[i]) > 1e-9 {
					t.Errorf("rank %d has it at %v ns, want %v", to, got, c.want[i])
				}
			})
		}
	}
}

// Ranks of a node share its port on a plogp network, too. By hand, for 1001 bytes: o_s 20, g 2000, L 100. A message takes
// L + g. The four messages of a node begin 2000 apart.
func TestRanksShareAPLogPPort(t *testing.T) {
	var all [8][]trace.Event
	for p := range int32(4) {
		all[p] = rows(an(trace.Send, with(p+4), of(1001)))
		all[p+4] = rows(an(trace.Recv, with(p), of(1001)))
	}
	const sized = "model = \"plogp\"\nL = \"100 ns\"\no = \"20 ns\"\n[[network.size]]\nbytes = \"1 B\"\ng = \"30 ns\"\n[[network.size]]\nbytes = \"1001 B\"\ng = \"2000 ns\""
	for _, k := range []int{1, 4} {
		res, err := replayMessages(messageTrace(all[:]...), localMachine(t, k, 8/k, "6400 ps", sized, ""), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for p := range 4 {
			got, want := ends(res)[4+p], 2100.
			if k == 4 {
				want += float64(p) * 2000
			}
			if got != want {
				t.Errorf("%d ranks a node: rank %d ends at %v ns, want %v", k, 4+p, got, want)
			}
		}
		if len(res.Warnings) > 0 {
			t.Errorf("%d ranks a node: warnings %v", k, res.Warnings)
		}
	}
}

// Notes give the costs that were used, each level that carried messages for itself.
func TestNotesOfLevels(t *testing.T) {
	const levels = "S = \"8 KiB\"\n[[network.level]]\nname = \"unit\"\nprocessors = 2\no = \"4 ns\"\nG = \"0.5 ns/B\"\n[network.local]\nL = \"30 ns\"\ng = \"6 ns\"\nS = \"1 KiB\""
	all := [][]trace.Event{rows(an(trace.Send, with(1), of(8)), an(trace.Send, with(2), of(8)), an(trace.Send, with(2), of(8)), an(trace.Send, with(4), of(8))),
		rows(an(trace.Recv, with(0))), rows(an(trace.Recv, with(0)), an(trace.Recv, with(0))), nil, rows(an(trace.Recv, with(0)))}
	for _, c := range []struct {
		trace *trace.Memory
		sem   Semantics
		want  []string
	}{
		{messageTrace(all...), "", []string{"messages between ranks of one unit (1): L 30ns, o_s 4ns, o_r 4ns, g 6ns, G 500ps/B, S 1KiB",
			"messages between ranks of one node (2): L 30ns, o_s 10ns, o_r 10ns, g 6ns, G 100ps/B, S 1KiB", "messages of a node share its memory: 10GB/s (from [memory])"}},
		{messageTrace(rows(an(trace.Send, with(4), of(8))), nil, nil, nil, rows(an(trace.Recv, with(0)))), "", nil},
		{messageTrace(all...), LogGOPSim, []string{"a port of its own"}},
	} {
		res, err := replayMessages(c.trace, localMachine(t, 4, 2, "6400 ps", "", levels), Options{Semantics: c.sem})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Warnings) != len(c.want) {
			t.Fatalf("warnings %v, want %q", res.Warnings, c.want)
		}
		for i, w := range c.want {
			if got := res.Warnings[i].Error(); !strings.Contains(strings.ReplaceAll(got, " ", ""), strings.ReplaceAll(w, " ", "")) {
				t.Errorf("note %q, want %q", got, w)
			}
		}
	}
}

// A network between the processors of a single node is not used by ranks whose node says what they cost. A machine
// without a memory can give all costs of its nodes.
func TestLevelsOfOneNode(t *testing.T) {
	pair := messageTrace(rows(an(trace.Send, with(1), of(101))), rows(an(trace.Recv, with(0))))
	for _, c := range []struct {
		local string
		want  float64
	}{{"", 10 + 200 + 100 + 10}, {inNode, oIn + 100*gG + lIn + oIn}} {
		res, err := replayMessages(pair, localMachine(t, 4, 1, "6400 ps", "", c.local), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := ends(res)[1]; got != c.want {
			t.Errorf("%q: %v ns, want %v", c.local, got, c.want)
		}
	}
	const part = "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n%s\n[system]\ntarget = \"clump\"\nprocessors = 2\nnodes = 2\n"
	for _, c := range []struct{ local, err string }{{"", "whose bandwidth is missing"}, {"[network.local]\nL = \"1 ns\"", "whose bandwidth is missing"}, {"[network.local]\nG = \"1 ns/B\"", "whose bandwidth is missing"}, {inNode, ""}} {
		m, err := machine.ParsePart("m.toml", []byte(fmt.Sprintf(part, c.local)))
		if err != nil {
			t.Fatal(err)
		}
		res, err := replayMessages(pair, m, Options{Recorded: false})
		switch {
		case c.err == "" && err != nil, c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%q: error %v, want %q", c.local, err, c.err)
		case err == nil && ends(res)[1] != oIn+100*gG+lIn+oIn:
			t.Errorf("%q: %v", c.local, ends(res))
		}
	}
}

// A copy and the misses of its node wait for each other. By hand, in ns, with a memory of 50 that takes a byte in 0.1 and
// a line of 64 in 6.4: rank 0 sends 6400 bytes at 100. The copy has the memory from 104 to 744. A miss that comes to it at
// 202 has it after that. A miss at 99 has it until 105.4, and the copy from then on. References of another node do not
// wait. Without costs within the node, o is 10, so the copy has the memory from 110 to 750.
func TestCopiesCompeteWithReferences(t *testing.T) {
	for _, c := range []struct {
		name, target, local string
		work                uint32
		miss                int // processor that misses
		contention          float64
		arrives             float64 // of the message, with its o
	}{
		{"a miss behind a copy", "smp", inNode, 200, 2, 744 - 202, 104 + 3199.5 + 30 + 4},
		{"a copy behind a miss", "smp", fastCopies, 97, 2, 0, 105.4 + 640 + 30 + 4},
		{"a cluster", "clump", fastCopies, 200, 2, 744 - 202, 104 + 640 + 30 + 4},
		{"a copy behind a miss of a cluster", "clump", fastCopies, 97, 2, 0, 105.4 + 640 + 30 + 4},
		{"another node", "clump", fastCopies, 200, 4, 0, 104 + 640 + 30 + 4},
		{"distributed memory", "ccnuma", fastCopies, 200, 2, 744 - 202, 104 + 640 + 30 + 4},
		{"costs of the memory", "clump", "", 200, 2, 750 - 202, 110 + 640 + 50 + 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := []*builder{{}, {}, {}, {}, {}}
			all[0].work(100)
			e := all[0].at(trace.Send, 1)
			e.Tag, e.Bytes = 0, 6400
			all[1].at(trace.Recv, 0).Tag = 0
			all[c.miss].work(c.work)
			all[c.miss].ref(1, 1<<20, 8, trace.Load)
			all[c.miss].at(trace.Marker, trace.None)
			m := localMachine(t, 4, 2, "6400 ps", "", c.local)
			if c.target == "smp" {
				m = localMachine(t, 8, 1, "6400 ps", "", c.local)
			}
			m.System.Target = machine.Target(c.target)
			res, err := replayMixed(source(all...), m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(res.Procs[c.miss].Contention) / 1000; math.Abs(got-c.contention) > 1e-9 {
				t.Errorf("the miss waits %v ns, want %v", got, c.contention)
			}
			if got := float64(res.Messages.Ranks[1].Time) / 1000; math.Abs(got-c.arrives) > 1e-9 {
				t.Errorf("the message is there at %v ns, want %v", got, c.arrives)
			}
		})
	}
}

// fastCopies are the costs within a node of a machine whose memory decides how fast messages are copied.
const fastCopies = "[network.local]\nL = \"30 ns\"\no = \"4 ns\""

// randomLocals are costs within a node: any keys, in units of 2 and of 4.
func randomLocals(c *choices) (text string) {
	for _, section := range []string{"[[network.level]]\nname = \"a\"\nprocessors = 2\n", "[[network.level]]\nname = \"b\"\nprocessors= 4\n", "[network.local]\n"} {
		keys := ""
		for _, key := range []string{"L = \"%d ns\"", "o = \"%d ns\"", "g = \"%d ns\"", "G = \"%d ps/B\"", "S = \"%d B\""} {
			if c.below(3) == 0 {
				keys += fmt.Sprintf(key, c.below(200)) + "\n"
			}
		}
		if keys != "" {
			text += section + keys
		}
	}
	return text
}

// sentAndCame notes when messages are sent and when they are there, by tag.
type sentAndCame struct {
	observe.NopObserver
	trace *trace.Memory
	sent  map[int32]unit.Picos
	came  map[int32]unit.Picos
}

func (s *sentAndCame) Began(rank int32, row int64, at unit.Picos) {
	if e := &s.trace.EventsOf[rank].Rows[row]; e.Kind == trace.Send || e.Kind == trace.Isend {
		s.sent[e.Tag] = at
	}
}

func (s *sentAndCame) Message(_, _ int32, m *observe.ReceivedMessage) { s.came[m.Tag] = m.Arrived }

// Whatever the program, the machine and its local G: a message within a node takes at least its bytes over the bandwidth of
// the memory, and all messages of a node take at least all of their bytes over it. Workers find the same.
func TestCopiesTakeTheirBytesOverTheBandwidth(t *testing.T) {
	links := "o = \"10 ns\"\nL = \"100 ns\"\nbandwidth = \"1 GB/s\"\n"
	networks := []string{"model = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"", "model = \"bus\"\n" + links, "model = \"fattree\"\nsharing = \"max-min\"\n" + links, "model = \"torus\"\nsharing = \"packets\"\npacket = \"512 B\"\n" + links, "model = \"logp\"\nL = \"100 ns\"\ng = \"50 ns\"\n",
		"model = \"plogp\"\nL = \"100 ns\"\no = \"20 ns\"\n[[network.size]]\nbytes = \"1 B\"\ng = \"30 ns\"\n[[network.size]]\nbytes = \"1001 B\"\ng = \"2000 ns\""}
	local := 0
	for seed := range testsize.Cases[uint64](600, 150) {
		c := randomChoices(seed, 1500)
		network := networks[c.below(len(networks))]
		if !strings.Contains(network, "size]]") && c.below(2) == 0 {
			network += "\nS = \"500 B\""
		}
		occupancy := 1 + 99*c.below(200)
		m := localMachine(t, 8, 1+c.below(2), fmt.Sprint(occupancy, " ps"), network, randomLocals(c))
		all := make([][]trace.Event, 2+c.below(m.Count()-1))
		pairs, bytes := [][2]int{}, []int64{}
		for i := range int32(5 + c.below(60)) {
			from := c.below(len(all))
			to := (from + 1 + c.below(len(all)-1)) % len(all)
			tag := func(e *trace.Event) { e.Tag = i }
			pairs, bytes = append(pairs, [2]int{from, to}), append(bytes, int64(c.below(250)*c.below(40)))
			send, open := an(trace.Send, with(int32(to)), of(bytes[i]), tag), c.below(2) == 0
			if open {
				send.Kind, send.Request = trace.Isend, i
			}
			all[from] = append(all[from], send)
			if all[to] = append(all[to], an(trace.Recv, with(int32(from)), tag)); open {
				all[from] = append(all[from], an(trace.Wait, request(i)))
			}
		}
		src := messageTrace(all...)
		seen := &sentAndCame{trace: src, sent: map[int32]unit.Picos{}, came: map[int32]unit.Picos{}}
		res, err := replayMessages(src, m, Options{Observer: seen})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		perByte, total := float64(occupancy)/64, map[int]float64{}
		for i, p := range pairs {
			if m.NodeOf(p[0]) != m.NodeOf(p[1]) || !RanksShareNodes(m, len(all)) {
				continue
			}
			local++
			total[m.NodeOf(p[0])] += float64(bytes[i]) * perByte
			if took := seen.came[int32(i)] - seen.sent[int32(i)]; float64(took) < float64(bytes[i])*perByte-0.5 {
				t.Fatalf("seed %d: message %d of %d bytes takes %v, less than by the memory, %v ps for a byte", seed, i, bytes[i], took, perByte)
			}
		}
		for node, least := range total {
			if float64(res.Time) < least-float64(len(pairs)) {
				t.Fatalf("seed %d: the messages of node %d take %v, and their bytes %v ps", seed, node, res.Time, least)
			}
		}
		several, err := replayMessages(src, m, Options{Engine: engine.Options{Protocol: []outcome.Protocol{outcome.Quantum, outcome.Whoa}[seed%2], Workers: 3}})
		if err != nil || !reflect.DeepEqual(several.Ranks, res.Ranks) {
			t.Fatalf("seed %d: on several workers %v, want %v (%v)", seed, several, res.Ranks, err)
		}
	}
	if local < 1000 {
		t.Errorf("only %d messages within nodes", local)
	}
}
