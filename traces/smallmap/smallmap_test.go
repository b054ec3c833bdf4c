package smallmap

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A Map does what a Go map does, with few keys and with many.
func TestMapIsMap(t *testing.T) {
	for _, keys := range []int{1, unindexed, unindexed + 1, 100} {
		t.Run(fmt.Sprint(keys, " keys"), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(keys), 1))
			var m Map[int, int]
			want := map[int]int{}
			for range 3000 {
				key := rng.IntN(keys)
				switch rng.IntN(5) {
				case 0, 1:
					n := rng.Int()
					*m.Of(key), want[key] = n, n
				case 2:
					got, found := m.Take(key)
					if n, is := want[key]; got != n || found != is {
						t.Fatalf("Take(%d) = %d, %v, want %d, %v", key, got, found, n, is)
					}
					delete(want, key)
				case 3:
					if got := m.Get(key); got != want[key] {
						t.Fatalf("Get(%d) = %d, want %d", key, got, want[key])
					}
				case 4:
					if rng.IntN(10) == 0 {
						m.Compact()
					}
					check(t, &m, want)
				}
			}
		})
	}
}

// check compares the rows, sorted.
func check(t *testing.T, m *Map[int, int], want map[int]int) {
	t.Helper()
	var rows []Row[int, int]
	for _, key := range slices.Sorted(maps.Keys(want)) {
		rows = append(rows, Row[int, int]{key, want[key]})
	}
	if got := m.Sort(cmp.Compare[int]); !slices.Equal(got, rows) || m.Len() != len(want) || !slices.Equal(m.Rows(), rows) {
		t.Fatalf("rows %v, want %v", got, rows)
	}
}

func Example() {
	var m Map[string, int]
	*m.Of("b") += 2
	*m.Of("a")++
	fmt.Println(m.Get("b"), m.Len(), m.Sort(cmp.Compare[string]))
	// Output: 2 2 [{a 1} {b 2}]
}
