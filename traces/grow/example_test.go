package grow_test

import (
	"fmt"

	"spoor/traces/grow"
	"spoor/traces/trace"
)

// ring is a recording of a program in which each rank sends to the next one.
func ring(ranks int32) grow.Recording {
	r := grow.Recording{Name: fmt.Sprintf("ring%d", ranks)}
	for rank := range ranks {
		send, recv := trace.NewEvent(trace.Send), trace.NewEvent(trace.Recv)
		send.Peer, send.Bytes = (rank+1)%ranks, 8
		recv.Peer, recv.Bytes = (rank+ranks-1)%ranks, 8
		r.Rows = append(r.Rows, []trace.Event{send, recv})
	}
	return r
}

func Example() {
	const target = 100
	pattern, err := grow.Learn([]grow.Recording{ring(3), ring(4), ring(6)}, target)
	if err != nil {
		panic(err)
	}
	rows, err := pattern.Grow(target).Rank(99)
	if err != nil {
		panic(err)
	}
	for _, e := range rows {
		fmt.Println(e.Kind, e.Peer, e.Bytes)
	}
	fmt.Println(pattern.Notes)
	// Output:
	// send 0 8
	// recv 98 8
	// [the other recordings predict all messages of ring6 (6 ranks), and its computation within 0 %]
}
