package du2000

// B+-trees of TPC-C. All nodes of all trees are in one array. Each tree has its own region of the array, so that
// the position of a node does not depend on other trees. Full nodes are split in halves on the way down. Nodes are
// freed when they are empty, and are not merged before that:
// free-at-empty is better than merge-at-half
// [johnson1993].

const (
	btreeFanout = 20
	btreeDepth  = 12 // maximum number of levels: one more level needs ten times the keys
	noBTreeNode = -1
)

// btreeNode is a node of 256 bytes. A leaf, at level 0, has the rows of its keys. A higher node has its children.
// Child i has the keys from keys[i] to keys[i+1]-1; child 0 also has the smaller ones.
type btreeNode struct {
	keys        [btreeFanout]uint64
	down        [btreeFanout]int32 // rows or children
	count       int32
	level       int32
	left, right int32 // neighbours of a leaf; of a free node, right is the next free one
}

// btree is the root of a tree, and the unused nodes of its region.
type btree struct {
	root   int32
	free   int32 // list of freed nodes
	unused int32 // nodes from here to end were never used
	end    int32
}

// btreeNodes bounds the number of nodes of a tree that gets the given number of keys, including keys removed later.
// Every split needs a full node and leaves two with at least half as many keys. So there is at most one split for
// each half node of keys at a level. In addition, there is a root and a spare node at every level.
func btreeNodes(keys int) int { return keys/(btreeFanout/2-1) + 2*btreeDepth }

// newBTree returns an empty tree with nodes first..end-1 as its region.
func newBTree(nodes []btreeNode, first, end int) btree {
	t := btree{free: noBTreeNode, unused: int32(first), end: int32(end)}
	t.root = t.newNode(nodes, 0)
	return t
}

// newNode returns an empty node without neighbours.
func (t *btree) newNode(nodes []btreeNode, level int32) int32 {
	n := t.free
	if n != noBTreeNode {
		t.free = nodes[n].right
	} else {
		if t.unused == t.end {
			panic("a B+-tree has more nodes than its keys can need")
		}
		n = t.unused
		t.unused++
	}
	node := &nodes[n]
	node.count, node.level, node.left, node.right = 0, level, noBTreeNode, noBTreeNode
	return n
}

// releaseNode removes a node from the list of leaves and adds it to the free ones.
func (t *btree) releaseNode(nodes []btreeNode, n int32) {
	node := &nodes[n]
	if node.left != noBTreeNode {
		nodes[node.left].right = node.right
	}
	if node.right != noBTreeNode {
		nodes[node.right].left = node.left
	}
	node.right = t.free
	t.free = n
}

// below returns the number of keys of the node that are less than key.
func (n *btreeNode) below(key uint64) int32 {
	lo, hi := int32(0), n.count
	for lo < hi {
		if mid := (lo + hi) / 2; n.keys[mid] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// child returns the index of the child for key.
func (n *btreeNode) child(key uint64) int32 { return max(n.below(key+1), 1) - 1 }

// put inserts key and down as entry i.
func (n *btreeNode) put(i int32, key uint64, down int32) {
	for j := n.count; j > i; j-- {
		n.keys[j], n.down[j] = n.keys[j-1], n.down[j-1]
	}
	n.keys[i], n.down[i] = key, down
	n.count++
}

// drop removes entry i.
func (n *btreeNode) drop(i int32) {
	n.count--
	for j := i; j < n.count; j++ {
		n.keys[j], n.down[j] = n.keys[j+1], n.down[j+1]
	}
}

// insert adds a key that the tree does not contain. Keys are less than 2^64-1.
func (t *btree) insert(nodes []btreeNode, key uint64, row int32) {
	if nodes[t.root].count == btreeFanout {
		root := t.newNode(nodes, nodes[t.root].level+1)
		nodes[root].put(0, nodes[t.root].keys[0], t.root)
		t.root = root
		t.split(nodes, root, 0)
	}
	n := t.root
	for nodes[n].level > 0 {
		i := nodes[n].child(key)
		if nodes[nodes[n].down[i]].count == btreeFanout {
			t.split(nodes, n, i)
			i = nodes[n].child(key)
		}
		n = nodes[n].down[i]
	}
	nodes[n].put(nodes[n].below(key), key, row)
}

// split moves the upper half of child i, which is full, to a new child i+1.
func (t *btree) split(nodes []btreeNode, parent, i int32) {
	l := nodes[parent].down[i]
	left := &nodes[l]
	r := t.newNode(nodes, left.level)
	right := &nodes[r]
	const half = btreeFanout / 2
	for j := range half {
		right.keys[j], right.down[j] = left.keys[half+j], left.down[half+j]
	}
	left.count, right.count = half, half
	if left.level == 0 {
		right.left, right.right = l, left.right
		if left.right != noBTreeNode {
			nodes[left.right].left = r
		}
		left.right = r
	}
	nodes[parent].put(i+1, right.keys[0], r)
}

// remove removes a key, and the nodes that are then empty. It reports whether the tree contained the key.
func (t *btree) remove(nodes []btreeNode, key uint64) bool {
	var path, places [btreeDepth]int32
	n, depth := t.root, 0
	for nodes[n].level > 0 {
		path[depth], places[depth] = n, nodes[n].child(key)
		n = nodes[n].down[places[depth]]
		depth++
	}
	i := nodes[n].below(key)
	if i == nodes[n].count || nodes[n].keys[i] != key {
		return false
	}
	nodes[n].drop(i)
	for depth > 0 && nodes[n].count == 0 {
		t.releaseNode(nodes, n)
		depth--
		n = path[depth]
		nodes[n].drop(places[depth])
	}
	for root := t.root; nodes[root].level > 0 && nodes[root].count == 1; root = t.root {
		t.root = nodes[root].down[0]
		t.releaseNode(nodes, root)
	}
	return true
}

// btreeCursor is the position of an entry. It is valid until the tree changes.
type btreeCursor struct{ node, at int32 }

// seek finds the first entry whose key is at least key.
func (t *btree) seek(nodes []btreeNode, key uint64) btreeCursor {
	n := t.root
	for nodes[n].level > 0 {
		n = nodes[n].down[nodes[n].child(key)]
	}
	return btreeCursor{n, nodes[n].below(key)}.skipLeafEnd(nodes)
}

// skipLeafEnd moves a cursor at the end of a leaf to the next leaf.
func (c btreeCursor) skipLeafEnd(nodes []btreeNode) btreeCursor {
	if c.at == nodes[c.node].count {
		return btreeCursor{nodes[c.node].right, 0}
	}
	return c
}

// next returns the entry after c.
func (c btreeCursor) next(nodes []btreeNode) btreeCursor {
	return btreeCursor{c.node, c.at + 1}.skipLeafEnd(nodes)
}

// entry returns the key and the row at c, if there is an entry.
func (c btreeCursor) entry(nodes []btreeNode) (key uint64, row int32, ok bool) {
	if c.node == noBTreeNode {
		return 0, 0, false
	}
	return nodes[c.node].keys[c.at], nodes[c.node].down[c.at], true
}

// find returns the row of a key, if the tree contains it.
func (t *btree) find(nodes []btreeNode, key uint64) (row int32, ok bool) {
	found, row, ok := t.seek(nodes, key).entry(nodes)
	return row, ok && found == key
}
