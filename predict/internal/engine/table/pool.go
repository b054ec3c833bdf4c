// Package table has the tables of the engine, whose records have numbers.
package table

// Pool stores records under a number, from 1.
type Pool[T any] struct {
	Items []T
	free  []int32
}

// Add returns the number of a record to fill in.
func (p *Pool[T]) Add() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	var zero T
	p.Items = append(p.Items, zero)
	return int32(len(p.Items) - 1)
}

// Drop gives a number back.
func (p *Pool[T]) Drop(i int32) { p.free = append(p.free, i) }
