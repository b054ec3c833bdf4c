package engine

// pool stores records under a number, from 1.
type pool[T any] struct {
	items []T
	free  []int32
}

func (p *pool[T]) add() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	var zero T
	p.items = append(p.items, zero)
	return int32(len(p.items) - 1)
}

func (p *pool[T]) drop(i int32) { p.free = append(p.free, i) }
