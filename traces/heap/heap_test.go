package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type item = Item[int8, int8, uint8, struct{}]

func order(a, b item) int {
	switch {
	case a.Before(&b):
		return -1
	case b.Before(&a):
		return 1
	}
	return 0
}

func random(r *rand.Rand) item {
	return item{Key: int8(r.IntN(4)), Tie: int8(r.IntN(4)), Turn: uint8(250 + r.IntN(12))}
}

// A heap returns what a sorted list returns, for any mix of operations.
func TestHeapIsSortedList(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var h Heap[int8, int8, uint8, struct{}]
		for range r.IntN(20) {
			h = append(h, random(r))
		}
		h.Init()
		plain := slices.SortedFunc(slices.Values(h), order)
		for range 200 {
			x := random(r)
			switch how := r.IntN(3); {
			case how == 0 || len(h) == 0:
				h.Push(x)
				plain = append(plain, x)
			case how == 1:
				h.ReplaceFirst(x)
				plain[0] = x
			default:
				if got := h.Pop(); got != plain[0] {
					t.Fatalf("seed %d: popped %v, not %v", seed, got, plain[0])
				}
				plain = plain[1:]
			}
			slices.SortFunc(plain, order)
			if len(plain) > 0 && h[0] != plain[0] {
				t.Fatalf("seed %d: first is %v, not %v", seed, h[0], plain[0])
			}
		}
	}
}

// A heap of numbered items finds the first one of a plain list, for any mix of operations.
func TestIndexedIsPlainList(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		var h Indexed[int8, int8, uint8, struct{}]
		plain := map[int32]item{}
		for range 300 {
			if r.IntN(3) > 0 || len(plain) == 0 {
				// The number breaks ties, so that the order is total.
				number, x := int32(r.IntN(30)), random(r)
				x.Turn = uint8(240 + number)
				h.Put(number, x)
				plain[number] = x
			} else {
				number, x := h.First()
				if *x != plain[number] {
					t.Fatalf("seed %d: %d is %v, not %v", seed, number, *x, plain[number])
				}
				if popped := h.Pop(); popped != number {
					t.Fatalf("seed %d: popped %d, not %d", seed, popped, number)
				}
				delete(plain, number)
			}
			checkIndexed(t, &h, plain)
		}
	}
}

func checkIndexed(t *testing.T, h *Indexed[int8, int8, uint8, struct{}], plain map[int32]item) {
	t.Helper()
	var sorted []item
	for _, x := range plain {
		sorted = append(sorted, x)
	}
	slices.SortFunc(sorted, order)
	if h.Len() != len(sorted) {
		t.Fatalf("%d items, not %d", h.Len(), len(sorted))
	}
	if len(sorted) > 0 {
		if _, x := h.First(); *x != sorted[0] {
			t.Fatalf("first is %v, not %v", *x, sorted[0])
		}
	}
	if _, x := h.Second(); (x != nil) != (len(sorted) > 1) || x != nil && *x != sorted[1] {
		t.Fatalf("second is %v of %v", x, sorted)
	}
}

func BenchmarkReplaceFirst(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var h Heap[uint64, int32, uint8, struct{}]
	for i := range 64 {
		h.Push(Item[uint64, int32, uint8, struct{}]{Key: uint64(i), Tie: int32(i)})
	}
	for b.Loop() {
		x := h[0]
		x.Key += 1 + r.Uint64N(100)
		h.ReplaceFirst(x)
	}
}
