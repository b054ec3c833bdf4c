package report

import "fmt"

// blocks puts neighbouring processors together where there are more of them than a plot has room for.
type blocks struct{ of, each int }

// newBlocks are at most so many blocks of so many processors.
func newBlocks(of, most int) blocks { return blocks{of, max(1, (of+most-1)/most)} }

// count is how many there are.
func (b blocks) count() int { return (b.of + b.each - 1) / b.each }

// at is the block of a processor.
func (b blocks) at(processor int) int { return processor / b.each }

// size is how many processors a block has.
func (b blocks) size(block int) int { return min(b.each, b.of-block*b.each) }

// names are those of the blocks: of one processor its number.
func (b blocks) names() (names []string) {
	for i := range b.count() {
		name := fmt.Sprint(i * b.each)
		if n := b.size(i); n > 1 {
			name += fmt.Sprintf("–%d", i*b.each+n-1)
		}
		names = append(names, name)
	}
	return names
}
