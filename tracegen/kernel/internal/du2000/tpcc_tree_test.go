package du2000

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// checkBTree holds a tree to its definition: sorted keys with their rows in the
// leaves, all on level 0, each in the range of its parents; and neighbours linked.
func checkBTree(t *testing.T, tree *btree, nodes []btreeNode, want map[uint64]int32) {
	t.Helper()
	previous, count := int32(noBTreeNode), 0
	var visit func(n int32, low, high uint64, level int32)
	visit = func(n int32, low, high uint64, level int32) {
		node := &nodes[n]
		if node.level != level || node.count == 0 && n != tree.root || node.level > 0 && n == tree.root && node.count < 2 {
			t.Fatalf("node %d of level %d has %d entries, on level %d", n, node.level, node.count, level)
		}
		for i := range node.count {
			lo, hi := node.keys[i], high
			if i == 0 && level > 0 {
				lo = low
			}
			if i+1 < node.count {
				hi = node.keys[i+1]
			}
			if lo < low || hi > high || lo >= hi {
				t.Fatalf("node %d: keys %d..%d of entry %d are not within %d..%d", n, lo, hi, i, low, high)
			}
			if level > 0 {
				visit(node.down[i], lo, hi, level-1)
				continue
			}
			if row, ok := want[node.keys[i]]; !ok || row != node.down[i] {
				t.Fatalf("key %d has row %d, want %d, %v", node.keys[i], node.down[i], row, ok)
			}
			count++
		}
		if level == 0 {
			if node.left != previous || previous != noBTreeNode && nodes[previous].right != n {
				t.Fatalf("leaf %d has left neighbour %d, want %d", n, node.left, previous)
			}
			previous = n
		}
	}
	visit(tree.root, 0, ^uint64(0), nodes[tree.root].level)
	if count != len(want) || nodes[previous].right != noBTreeNode {
		t.Fatalf("%d keys, want %d", count, len(want))
	}
}

// TestBTreeIsAMap, in whatever order keys come and go, within the region
// that its keys can need.
func TestBTreeIsAMap(t *testing.T) {
	for name, keyOf := range map[string]func(i int, rng *rand.Rand) uint64{
		"ascending":  func(i int, _ *rand.Rand) uint64 { return uint64(i) },
		"descending": func(i int, _ *rand.Rand) uint64 { return uint64(1<<20 - i) },
		"random":     func(_ int, rng *rand.Rand) uint64 { return rng.Uint64N(1 << 14) },
	} {
		t.Run(name, func(t *testing.T) {
			const inserts = 5000
			rng := rand.New(rand.NewPCG(1, 2))
			nodes := make([]btreeNode, btreeNodes(inserts))
			tree := newBTree(nodes, 0, len(nodes))
			want := map[uint64]int32{}
			for i := range inserts {
				key := keyOf(i, rng)
				if _, ok := want[key]; !ok {
					tree.insert(nodes, key, int32(i))
					want[key] = int32(i)
				}
				if i%3 == 0 { // the first key from a random one on, and one that is not there
					if key, _, ok := tree.seek(nodes, keyOf(rng.IntN(i+1), rng)).entry(nodes); ok {
						delete(want, key)
						if !tree.remove(nodes, key) || tree.remove(nodes, key) {
							t.Fatalf("key %d was not removed once", key)
						}
					}
				}
				if i%97 == 0 {
					checkBTree(t, &tree, nodes, want)
				}
			}
			checkBTree(t, &tree, nodes, want)
			checkBTreeSeek(t, &tree, nodes, want)
			for key := range want {
				tree.remove(nodes, key)
				delete(want, key)
			}
			checkBTree(t, &tree, nodes, want)
		})
	}
}

// checkBTreeSeek compares find and seek with a sorted list of the keys.
func checkBTreeSeek(t *testing.T, tree *btree, nodes []btreeNode, want map[uint64]int32) {
	t.Helper()
	var keys []uint64
	for key := range want {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	c := tree.seek(nodes, 0)
	for i, key := range keys {
		if got, row, ok := c.entry(nodes); !ok || got != key || row != want[key] {
			t.Fatalf("entry %d in order is %d, %v; want %d", i, got, ok, key)
		}
		c = c.next(nodes)
		if row, ok := tree.find(nodes, key); !ok || row != want[key] {
			t.Fatalf("key %d: row %d, %v", key, row, ok)
		}
		after, _, ok := tree.seek(nodes, key+1).entry(nodes)
		if ok != (i+1 < len(keys)) || ok && after != keys[i+1] {
			t.Fatalf("the key after %d is %d, %v", key, after, ok)
		}
		if _, found := want[key+1]; !found {
			if _, ok := tree.find(nodes, key+1); ok {
				t.Fatalf("found %d, which is not there", key+1)
			}
		}
	}
	if _, _, ok := c.entry(nodes); ok {
		t.Fatal("there is an entry after the last")
	}
}
