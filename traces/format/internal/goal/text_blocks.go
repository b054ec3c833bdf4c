package goal

import (
	"fmt"
	"spoor/traces/internal/input"
)

// numRanks reads the rest of the first statement.
func (p *goalText) numRanks() error {
	if p.ranks > 0 {
		return p.bad("num_ranks appears twice", "")
	}
	n, err := p.number("number of ranks")
	if err != nil {
		return err
	}
	if n == 0 || n > maxGoalRanks {
		return p.bad(fmt.Sprintf("%d ranks; the number must be from 1 to %d", n, maxGoalRanks), "")
	}
	p.ranks = int64(n)
	return nil
}

// block reads the rest of the start of a block.
func (p *goalText) block() error {
	n, err := p.number("rank")
	if err != nil {
		return err
	}
	switch {
	case p.ranks == 0:
		return p.bad("a block of a rank before num_ranks", "write num_ranks and the number of ranks first")
	case p.open > 0:
		return p.bad(fmt.Sprintf("the block of rank %d, which begins at line %d, is not closed", p.rank, p.open), "write } before this line")
	case n >= uint64(p.ranks):
		return p.bad(fmt.Sprintf("rank %d, but num_ranks is %d", n, p.ranks), "")
	case n < uint64(p.rank):
		return p.bad(fmt.Sprintf("rank %d has two blocks", n), "")
	case n > uint64(p.rank):
		return p.bad(fmt.Sprintf("rank %d comes before rank %d", n, p.rank), "every rank needs a block, in order")
	case !p.skip() || p.rest[0] != '{':
		return p.bad(`expected "{" after the rank`, "")
	}
	p.rest = p.rest[1:]
	p.open = p.Line
	return nil
}

// endBlock completes a rank.
func (p *goalText) endBlock() error {
	if p.open == 0 {
		return p.bad("no block is open", "")
	}
	if err := p.resolve(); err != nil {
		return err
	}
	if p.graph.collect() {
		if ring := p.graph.cycle(); ring != nil {
			return p.failAt(p.graph.circular(ring, p.nameOf))
		}
	}
	if err := p.endRank(p.rank); err != nil {
		return err
	}
	p.labels.reset()
	p.open = 0
	p.rank++
	return nil
}

// resolve makes the edges lead from operation to operation. Those whose operation came after them lead from or to ^label.
func (p *goalText) resolve() error {
	var missing *goalEdge
	for _, edges := range [2][]goalEdge{p.graph.requires, p.graph.irequires} {
		for i := range edges {
			e := &edges[i]
			if e.op|e.needs >= 0 {
				continue
			}
			op, needs := p.operationOf(e.op), p.operationOf(e.needs)
			if (op < 0 || needs < 0) && (missing == nil || e.at < missing.at) {
				missing = e
				break // the later ones are of later lines
			}
			e.op, e.needs = op, needs
		}
	}
	if missing == nil {
		return nil
	}
	label := p.operationOf(missing.op)
	if label >= 0 {
		label = p.operationOf(missing.needs)
	}
	return p.failAt(missing.at, fmt.Sprintf("label %s is not defined in the block of rank %d", input.Quote(p.labels.name(^label)), p.rank))
}

// operationOf returns the operation at an end of an edge, or less than 0 if its label is not defined.
func (p *goalText) operationOf(end int32) int32 {
	if end >= 0 {
		return end
	}
	return p.labels.operation(^end)
}

// nameOf returns the name of an operation in the text, for errors.
func (p *goalText) nameOf(op int) string {
	return input.Quote(p.labels.name(p.graph.ops[op].label))
}
