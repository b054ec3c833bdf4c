package queue

import (
	"math/rand/v2"
	"testing"
)

// A queue is a list.
func TestQueueIsAList(t *testing.T) {
	type entry struct {
		bytes int64
		file  int32
		at    int64
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for range 2000 {
		var q Queue
		var list []entry
		next := entry{}
		step := int64(0)
		for range rng.IntN(400) {
			if len(list) > 0 && rng.IntN(5) < 2 {
				bytes, file, at := q.Pop()
				if got := (entry{bytes, file, at}); got != list[0] {
					t.Fatalf("took %v, want %v", got, list[0])
				}
				list = list[1:]
			} else {
				switch rng.IntN(12) {
				case 0:
					step = rng.Int64() - rng.Int64()
				case 1:
					step = int64(rng.IntN(9)) - 4
				case 2:
					next.bytes = rng.Int64N(3)
				case 3:
					next.file = rng.Int32N(3)
				}
				next.at += step
				q.Push(next.bytes, next.file, next.at)
				list = append(list, next)
			}
			if q.Count() != uint64(len(list)) || q.Empty() != (len(list) == 0) {
				t.Fatalf("%d messages; want %v", q.Count(), list)
			}
			if len(list) == 0 {
				continue
			}
			last := list[len(list)-1]
			if file, at := q.End(); file != last.file || at != last.at {
				t.Fatalf("it ends in file %d at %d; want %v", file, at, list)
			}
		}
	}
}

// A series of equal messages takes no memory, however long.
func TestSeriesIsOneRun(t *testing.T) {
	var q Queue
	const n = 1 << 20
	for i := range int64(n) {
		q.Push(5, 0, 9+4*i)
	}
	if _, at := q.End(); q.more != nil || q.Count() != n || at != 9+4*(n-1) {
		t.Errorf("%+v", q)
	}
}
