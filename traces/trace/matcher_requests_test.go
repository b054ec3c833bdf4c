package trace

import (
	"math/rand/v2"
	"testing"
)

// TestRequestsAreNaive compares the table of requests with a map.
func TestRequestsAreNaive(t *testing.T) {
	for _, test := range []struct {
		name string
		most int32 // number of a request
	}{{"few numbers", 10}, {"more than the first room", 5 * firstRequests}, {"up to the limit", lowRequests}, {"any", 1<<31 - 1}} {
		t.Run(test.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			var table requests
			naive := map[int32]request{}
			for i := range 20000 {
				number := random.Int32N(test.most)
				if random.IntN(2) == 0 { // near numbers, so that some are open
					number %= 1 + int32(i)/100
				}
				got, is := table.get(number)
				if want, was := naive[number]; is != was || got != want {
					t.Fatalf("request %d: got %v %v, want %v %v", number, got, is, want, was)
				}
				if is && random.IntN(2) == 0 {
					table.drop(number)
					delete(naive, number)
				} else {
					q := request{at: Pos{At: int64(i)}, kind: Isend}
					table.set(number, q)
					naive[number] = q
				}
			}
			found := 0
			for number, q := range table.all() {
				if found++; naive[number] != q {
					t.Errorf("request %d: got %v, want %v", number, q, naive[number])
				}
			}
			if found != len(naive) {
				t.Errorf("%d requests, want %d", found, len(naive))
			}
		})
	}
}
