package grow

import (
	"cmp"
	"fmt"
	"slices"
)

// nearlyAsShort is how much longer a program may be to be as credible as another one.
const nearlyAsShort = 1.25

// growable returns the patterns that can be grown to the target, the most credible one first: tested ones before others,
// then the shortest. It returns the error of one that cannot be grown, if no other is more credible.
func growable(found []*Pattern, target int) (list []*Pattern, err error) {
	slices.SortStableFunc(found, func(a, b *Pattern) int {
		return cmp.Or(btoi(b.tested)-btoi(a.tested), cmp.Compare(a.parser.length, b.parser.length))
	})
	for _, p := range found {
		if len(list) > 0 && !p.credible(list[0]) {
			break
		}
		if err := p.tryGrow(target); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// credible reports whether p is about as credible as the best pattern.
func (p *Pattern) credible(best *Pattern) bool {
	return p.tested == best.tested && float64(p.parser.length) <= nearlyAsShort*float64(best.parser.length)
}

// tryGrow returns the error of some ranks of the target, if there is one.
func (p *Pattern) tryGrow(target int) error {
	g := p.Grow(target)
	for _, rank := range someRanks(target) {
		if _, err := g.Rank(rank); err != nil {
			return err
		}
	}
	return nil
}

// someRanks returns ranks that show the pattern: the first and the last ones, and others between them.
func someRanks(target int) (all []int) {
	const some = 32
	step := max(1, target/some)
	for rank := range target {
		if rank < some || target-rank <= some/2 || rank%step == 0 {
			all = append(all, rank)
		}
	}
	return all
}

// unambiguous returns an error if one of the patterns, which are about as credible, predicts other messages at the target
// than the first one.
func unambiguous(found []*Pattern, target int) error {
	first := found[0]
	for _, p := range found[1:] {
		rank, row := differ(first, p, target)
		if rank < 0 {
			continue
		}
		a, b := first.parser.rule.grid, p.parser.rule.grid
		if a != b && a.dims > 0 && b.dims > 0 {
			return fmt.Errorf("%d ranks may form a grid of %s or of %s: the recordings do not tell; add one at a number of ranks that tells them apart",
				target, gridText(a.sizes(target)), gridText(b.sizes(target)))
		}
		return fmt.Errorf("two patterns fit the recordings and differ in row %d of rank %d of %d; add a recording at another number of ranks",
			row, rank, target)
	}
	return nil
}

// differ returns the first rank and row, of some ranks, in which two patterns predict different messages, or -1.
func differ(a, b *Pattern, target int) (rank, row int) {
	of, with := a.Grow(target), b.Grow(target)
	for _, rank := range someRanks(target) {
		x, _ := of.Rank(rank)
		y, _ := with.Rank(rank)
		for i := range max(len(x), len(y)) {
			if i >= len(x) || i >= len(y) || !sameMessage(&x[i], &y[i]) {
				return rank, i
			}
		}
	}
	return -1, 0
}

// gridText returns sizes as "4 x 8".
func gridText(sizes []int) string {
	text := fmt.Sprint(sizes[0])
	for _, n := range sizes[1:] {
		text += fmt.Sprintf(" x %d", n)
	}
	return text
}
