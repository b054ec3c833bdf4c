package lines

import (
	"slices"

	"spoor/traces/trace"
)

// Uses lists the lines of one size that references of a chunk use, as columns. A reference
// that crosses lines uses each of them, in order of address.
type Uses struct {
	Lines  []uint64 // address / size
	Refs   []uint32 // index of the reference that uses the line, ascending
	Places []uint32 // number of the line in the order's [Table]
	Own    []uint32 // the same, as if each processor had its own table
	Room   int      // how many numbers have been assigned

	Crossed bool // false if no reference uses several lines
}

// Numbering assigns numbers to the lines of one size of an order: among all lines, and among the
// lines of each processor. A page of the former is a page of the latter, so that only one hash
// table is searched.
type Numbering struct {
	shift  uint
	table  *Table
	own    [][]uint32 // by processor and page of the table: the processor's own page, from 1; 0: none yet
	counts []uint32   // by processor: number of own pages
	coarse *Coarse    // see NumberCoarse
}

// NewNumbering returns a numbering of lines of 2^shift bytes for procs processors.
func NewNumbering(shift uint, procs int) *Numbering {
	n := &Numbering{shift: shift, table: NewScattering(), own: make([][]uint32, procs), counts: make([]uint32, procs)}
	n.coarse = &Coarse{table: n.table}
	return n
}

// Number sets uses to those of the references with the given operations. of holds the processor of each reference; it may be
// nil for one processor.
func (n *Numbering) Number(refs *trace.Refs, ops trace.OpSet, of []trace.Proc, uses *Uses) error {
	uses.gather(refs, ops, n.shift)
	uses.Places = resized(uses.Places, len(uses.Lines))
	for from := 0; from < len(uses.Lines); from += Batch {
		to := min(from+Batch, len(uses.Lines))
		if err := n.table.MakeRoom(); err != nil {
			return err
		}
		n.table.findFor(uses.Lines[from:to], uses.Places[from:to], users{of, uses.Refs[from:to]})
	}
	n.divide(of, uses)
	return nil
}

// NumberCoarse is Number for blocks, if the uses of smaller lines are known. The lines must be so
// small that all neighbours of a line are in its block: see [Coarse]. Every call must pass uses of
// the same numbering, of lines of 2^shift bytes.
func (n *Numbering) NumberCoarse(of []trace.Proc, fine *Uses, shift uint, uses *Uses) error {
	n.coarse.Reach(fine.Room)
	by := users{of, fine.Refs}
	count, shift := 0, n.shift-shift
	uses.resize(len(fine.Lines))
	uses.Crossed = fine.Crossed
	for i, line := range fine.Lines {
		block, ref := line>>shift, fine.Refs[i]
		if count > 0 && uses.Refs[count-1] == ref && uses.Lines[count-1] == block {
			continue // it crosses lines within the block
		}
		place, known := n.coarse.known(fine.Places[i], block)
		if !known {
			var err error
			if place, err = n.coarse.learn(fine.Places[i], block, by.at(i)); err != nil {
				return err
			}
		}
		uses.Lines[count], uses.Refs[count], uses.Places[count] = block, ref, place
		count++
	}
	uses.resize(count)
	n.divide(of, uses)
	return nil
}

// divide finds the numbers among the lines of each processor.
func (n *Numbering) divide(of []trace.Proc, uses *Uses) {
	uses.Room = n.table.Places()
	if len(n.own) <= 1 {
		uses.Own = uses.Places
		return
	}
	uses.Own = resized(uses.Own, len(uses.Places))
	own, refs := uses.Own, uses.Refs[:len(uses.Places)]
	for i, place := range uses.Places {
		p, page := of[refs[i]], place>>Neighbours
		pages := n.own[p]
		if int(page) >= len(pages) || pages[page] == 0 {
			pages = n.page(p, page)
		}
		own[i] = pages[page]<<Neighbours | place&(1<<Neighbours-1)
	}
}

// page adds a page of the table to those of a processor.
func (n *Numbering) page(p trace.Proc, page uint32) []uint32 {
	if more := n.table.Pages() + 1 - len(n.own[p]); more > 0 {
		n.own[p] = append(n.own[p], make([]uint32, more)...)
	}
	n.counts[p]++
	n.own[p][page] = n.counts[p]
	return n.own[p]
}

// gather finds the lines, and whose uses they are.
func (u *Uses) gather(refs *trace.Refs, ops trace.OpSet, shift uint) {
	u.Lines, u.Refs, u.Crossed = u.Lines[:0], u.Refs[:0], false
	for at := 0; at < len(refs.Addr); {
		rest := len(refs.Addr) - at
		u.Lines, u.Refs = slices.Grow(u.Lines, rest), slices.Grow(u.Refs, rest)
		var more uint64
		at, more = u.gatherTo(refs, ops, at, shift)
		u.Crossed = u.Crossed || more > 0
		for line := refs.Addr[at-1]>>shift + 1; more > 0; more-- {
			u.Lines, u.Refs = append(u.Lines, line), append(u.Refs, uint32(at-1))
			line++
		}
	}
}

// gatherTo adds the first lines of references from an index on, up to the first one that crosses lines, and returns the index
// after that and how many more lines it uses. There must be room.
func (u *Uses) gatherTo(refs *trace.Refs, ops trace.OpSet, from int, shift uint) (to int, more uint64) {
	addr := refs.Addr[from:]
	size, op := refs.Size[from:][:len(addr)], refs.Op[from:][:len(addr)]
	had := len(u.Lines)
	lines, of := u.Lines[had:had+len(addr)], u.Refs[had:had+len(addr)]
	shift &= 63
	n := 0
	to = len(refs.Addr)
	for i, a := range addr {
		first, last := a>>shift, (a+uint64(size[i])-1)>>shift
		lines[n], of[n] = first, uint32(from+i) // they stay if it is used: there is no branch that is hard to predict
		used := int(ops >> (op[i] & 7) & 1)
		n += used
		if first != last && used != 0 {
			to, more = from+i+1, last-first
			break
		}
	}
	u.Lines, u.Refs = u.Lines[:had+n], u.Refs[:had+n]
	return to, more
}

func (u *Uses) resize(n int) {
	u.Lines, u.Refs, u.Places = resized(u.Lines, n), resized(u.Refs, n), resized(u.Places, n)
}

func resized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// Reach appends zeros to kept until it has an entry for a number and its neighbours.
func Reach[T any](kept []T, place uint32) []T {
	if n := (int(place>>Neighbours) + 1) << Neighbours; n > len(kept) {
		kept = append(kept, make([]T, n-len(kept))...)
	}
	return kept
}
