package needs

import (
	"slices"
	"testing"
)

// Whether needs form a cycle, which Graph finds by a search, and this by adding up
// who can be reached.
func FuzzCircle(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0, 4, 5})
	f.Fuzz(func(t *testing.T, b []byte) {
		n := min(len(b), 12)
		needs := make([][]int64, n)
		for i := range needs {
			if b[i]%5 > 0 {
				needs[i] = []int64{}
			}
		}
		for i := n; i+1 < len(b); i += 2 {
			at := int(b[i]) % n
			needs[at] = append(needs[at], int64(b[i+1])%int64(n))
		}
		var g Graph
		reach := make([][]bool, n)
		for i := range needs {
			g.Add(needs[i])
			reach[i] = make([]bool, n)
			for _, to := range needs[i] {
				reach[i][to] = true
			}
			if needs[i] == nil && i > 0 {
				reach[i][i-1] = true
			}
		}
		one := slices.Clone(reach)
		for i := range reach {
			one[i] = slices.Clone(reach[i])
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		want := false
		for i := range reach {
			want = want || reach[i][i]
		}
		got := g.Cycle()
		if want != (got != nil) {
			t.Fatalf("cycle %v in %v", got, needs)
		}
		for i, e := range got {
			if !one[e][got[(i+1)%len(got)]] {
				t.Fatalf("%s is not in %v", Text(got), needs)
			}
		}
	})
}

// A chain of needs may be as long as the trace.
func TestLongCircle(t *testing.T) {
	var g Graph
	const n = 1 << 20
	for i := range int64(n) {
		g.Add([]int64{(i + 1) % n})
	}
	c := g.Cycle()
	if text := Text(c); len(c) != n || text != "0 needs 1, 1 needs 2, 2 needs 3, 3 needs 4, 4 needs 5, 5 needs 6, and so on through 1048570 more" {
		t.Error(len(c), text)
	}
}
