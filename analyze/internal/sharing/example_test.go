package sharing_test

import (
	"context"
	"fmt"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/sharing"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Two processors store counters of their own in turn, 8 bytes wordCounters: in lines of 64 bytes all
// but the first misses are false sharing, in lines of 8 bytes there are no more.
func Example() {
	m := &trace.Memory{
		Head:   trace.Header{Procs: 2, Regions: []trace.Region{{Name: "counters", Owner: trace.Everyone, Base: 64, Bytes: 16}}},
		RefsOf: []trace.Refs{{Proc: 0}, {Proc: 1}},
	}
	for range 10 {
		m.RefsOf[0].Append(1, 64, 8, trace.Store)
		m.RefsOf[1].Append(1, 72, 8, trace.Store)
	}
	a := &sharing.Analysis{Lines: []unit.Bytes{8, 64}}
	results, err := analysis.Run(context.Background(), m, analysis.Options{}, a)
	if err != nil {
		panic(err)
	}
	line, _ := store.Data[int64](results[0].Summary, "line")
	array, _ := store.Data[string](results[0].Summary, "array")
	cold, _ := store.Data[uint64](results[0].Summary, "cold")
	falses, _ := store.Data[uint64](results[0].Summary, "false_sharing")
	for i := range line {
		fmt.Println(line[i], array[i], cold[i], falses[i])
	}
	// Output:
	// 8 (all) 2 0
	// 8 counters 2 0
	// 64 (all) 2 18
	// 64 counters 2 18
}
