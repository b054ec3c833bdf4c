package comm

import (
	"fmt"
	"testing"

	"spoor/traces/trace"
)

// The messages of SMPI, for collectives of which its source says them.
func TestSMPIMessages(t *testing.T) {
	equal := func(n int, bytes int64) (all []int64) {
		for range n {
			all = append(all, bytes)
		}
		return all
	}
	for _, row := range []struct {
		kind   trace.Kind
		root   int
		bytes  []int64
		rounds int
		want   string // all messages if few: round from>to bytes
		number int
	}{
		{trace.Bcast, 3, equal(5, 7), 3, "0 3>2 7; 1 3>0 7; 2 3>4 7; 2 0>1 7; ", 4},
		{trace.Reduce, 1, equal(3, 7), 1, "0 0>1 7; 0 2>1 7; ", 2},
		{trace.AllReduce, 0, equal(3, 7), 3, "0 1>0 7; 0 2>0 7; 1 0>2 7; 2 0>1 7; ", 4},
		{trace.Barrier, 0, equal(3, 0), 2, "0 1>0 0; 0 2>0 0; 1 0>1 0; 1 0>2 0; ", 4},
		{trace.Scan, 0, equal(3, 7), 1, "0 0>1 7; 0 0>2 7; 0 1>2 7; ", 3},
		{trace.AllGather, 0, []int64{1, 2}, 1, "0 0>1 1; 0 1>0 2; ", 2},
		{trace.Gather, 1, []int64{1, 2, 3}, 1, "0 0>1 1; 0 2>1 3; ", 2},
		{trace.Scatter, 1, []int64{1, 2, 3}, 1, "0 1>0 1; 0 1>2 3; ", 2},
		{trace.AllToAll, 0, equal(16, 16*3), 1, "", 16 * 15},
		{trace.AllToAll, 0, equal(16, 16*4), 4, "", 16 * 4},
		{trace.AllToAll, 0, equal(16, 16*512), 1, "", 16 * 15},
		{trace.AllToAll, 0, equal(4, 4<<19), 3, "", 4 * 3},
		{trace.AllToAll, 0, equal(6, 6<<19), 1, "", 6 * 5},
		{trace.AllToAll, 0, append(equal(15, 16*100), 16*101), 1, "", 16 * 15},
		{trace.AllToAll, 0, equal(64, 64<<18), 63, "", 64 * 63},
	} {
		got, number, rounds := "", 0, map[int]bool{}
		Messages(SMPI, row.kind, row.root, row.bytes, func(round, from, to int, bytes int64) {
			number++
			rounds[round] = true
			got += fmt.Sprintf("%d %d>%d %d; ", round, from, to, bytes)
		})
		if number != row.number || len(rounds) != row.rounds || row.want != "" && got != row.want {
			t.Errorf("%v of %d: %d messages in %d rounds, want %d in %d\n%.200s", row.kind, len(row.bytes), number, len(rounds), row.number, row.rounds, got)
		}
	}
}
