package du2000

import (
	"context"
	"fmt"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var edgeSizes = []workload.Values{{"size": 15}, {"size": 17, "threshold": 255}, {"size": 24, "threshold": 1}}

func spoilEdge(inst workload.Instance) {
	f := inst.(*edge)
	f.edges[1][17*f.size+17] ^= 1
}

// TestEdgeCountsAreExactWithoutCandidates: at threshold 255 no pixel branches.
func TestEdgeCountsAreExactWithoutCandidates(t *testing.T) {
	for _, procs := range kerneltest.ProcCounts {
		inst := kerneltest.Run{Name: "edge", Set: workload.Values{"size": 17, "threshold": 255}, Procs: procs}.Of(t, Recorded)
		_, rec := kerneltest.Record(t, inst, procs)
		for p, want := range inst.Counts().Refs {
			if got := rec.Totals[p].Refs; got != want {
				t.Errorf("rank %d of %d: %d references, closed form %d", p, procs, got, want)
			}
		}
	}
}

func TestEdgeWindowsAreThePapers(t *testing.T) {
	want := []int{31, 27, 23, 19, 15, 11, 7, 3} // [du2000, sec. 4.2]: ceil(8 sigma), sigma = 3.8, 3.3, ...
	for level, w := range want {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			if got := window(level); got != w {
				t.Errorf("level %d: window %d, want %d", level, got, w)
			}
		})
	}
}

func TestEdgeFindsTheOutlineOfASquare(t *testing.T) {
	inst := kerneltest.Instance(t, Edge, workload.Values{"size": 64, "threshold": 8}, 2).(*edge)
	square := make([]float32, 64*64)
	for i := 20; i < 44; i++ {
		for j := 20; j < 44; j++ {
			square[i*64+j] = 200
		}
	}
	inst.image = mirrored(square, 64)
	if err := spmd.Native(context.Background(), 2, inst.Program); err != nil {
		t.Fatal(err)
	}
	edges := inst.edges[1]
	for i := 24; i < 40; i++ { // away from the corners the edge is where the step is: between 19 and 20, 43 and 44
		row := edges[i*64 : (i+1)*64]
		for j, on := range row {
			step := j == 19 || j == 20 || j == 43 || j == 44
			if on == 1 && !step {
				t.Errorf("row %d: an edge at %d, where the image is flat", i, j)
			}
		}
		if n := row[19] + row[20] + row[43] + row[44]; n != 2 {
			t.Errorf("row %d: %d edges, want 2", i, n)
		}
	}
}
