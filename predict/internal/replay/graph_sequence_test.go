package replay

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/trace"
)

const logGOPSimNet = "model = \"loggp\"\nL = \"2 us\"\no = \"500 ns\"\ng = \"500 ns\"\nG = \"1 ns/B\""

// stages is a random schedule of LogGOPSim: ranks exchange messages, which all need what came before, and then compute.
func stages(r *rand.Rand) *trace.Memory {
	ranks := make([][]trace.Event, 2+r.IntN(5))
	before := make([][2]int, len(ranks))
	add := func(p int, e trace.Event) {
		e.Needs = []int64{}
		for row := before[p][0]; row < before[p][1]; row++ {
			e.Needs = append(e.Needs, int64(row))
		}
		ranks[p] = append(ranks[p], e)
	}
	for range 1 + r.IntN(5) {
		starts := make([]int, len(ranks))
		for p := range ranks {
			starts[p] = len(ranks[p])
		}
		for range 1 + r.IntN(9) {
			from := r.IntN(len(ranks))
			to := (from + 1 + r.IntN(len(ranks)-1)) % len(ranks)
			add(to, an(trace.Recv, with(int32(from))))
			add(from, an(trace.Send, with(int32(to)), of(int64(r.IntN(5000)))))
		}
		for p := range ranks {
			if len(ranks[p]) > starts[p] {
				before[p] = [2]int{starts[p], len(ranks[p])}
			}
			add(p, an(trace.Compute, works(int64(r.IntN(5000)))))
			before[p] = [2]int{len(ranks[p]) - 1, len(ranks[p])}
		}
	}
	return messageTrace(ranks...)
}

// With an observer, graphs are not simulated as sequences.
func TestGraphsAsSequences(t *testing.T) {
	for seed := range uint64(200) {
		m := messageMachine(t, logGOPSimNet+[]string{"", "\nS = \"1 KiB\""}[seed%2])
		src := stages(rand.New(rand.NewPCG(seed, 5)))
		var results [2]*messageResult
		for i, obs := range []observe.Observer{nil, observe.NopObserver{}} {
			var err error
			if results[i], err = replayMessages(src, m, Options{Semantics: LogGOPSim, Observer: obs}); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(results[0].Ranks, results[1].Ranks) || results[0].Messages != results[1].Messages {
			t.Errorf("seed %d: %v as sequences, %v as graphs", seed, results[0].Ranks, results[1].Ranks)
		}
	}
}

func TestSequenceOf(t *testing.T) {
	send, recv, compute := program.Op{Kind: program.Send}, program.Op{Kind: program.Recv}, program.Op{Kind: program.Compute, Work: 5}
	busy := program.Op{Kind: program.Send, Work: 5}
	for name, c := range map[string]struct {
		ops   []program.Op
		needs [][]int32
		want  int // operations of the sequence; 0: none
	}{
		"stages":             {[]program.Op{send, recv, compute, recv}, [][]int32{{}, {}, {1, 0}, {2}}, 7},
		"need one of two":    {[]program.Op{send, recv, compute}, [][]int32{{}, {}, {0}}, 0},
		"need another":       {[]program.Op{send, compute, recv, compute}, [][]int32{{}, {0}, {1}, {0}}, 0},
		"twice the same":     {[]program.Op{send, recv, compute}, [][]int32{{}, {}, {0, 0}}, 0},
		"compute beside":     {[]program.Op{send, compute}, [][]int32{{}, {}}, 0},
		"work of a message":  {[]program.Op{busy}, [][]int32{{}}, 0},
		"the first needs it": {[]program.Op{send, recv}, [][]int32{{1}, {}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := program.Graph{Starts: []int64{0}}
			for _, n := range c.needs {
				g.Rows = append(g.Rows, n...)
				g.Starts = append(g.Starts, int64(len(g.Rows)))
			}
			ops := program.Pack(c.ops...)
			if out, ok := sequenceOf(&ops, &g); ok != (c.want > 0) || out.Len() != c.want {
				t.Errorf("%d operations, %t; want %d", out.Len(), ok, c.want)
			}
		})
	}
}
