package goal

import (
	"iter"
	"math"
	"spoor/traces/internal/input"
)

// goalBytes reads an input from start to end.
type goalBytes struct {
	next   func() ([]byte, error, bool)
	stop   func()
	block  []byte
	offset uint64
}

func newGoalBytes(in *input.Input) *goalBytes {
	next, stop := iter.Pull2(in.Blocks(func(b []byte) int { return len(b) }, input.MaxLine))
	return &goalBytes{next: next, stop: stop}
}

// fill fetches the next block if block is empty and the input has not ended.
func (b *goalBytes) fill() error {
	for len(b.block) == 0 {
		block, err, ok := b.next()
		if !ok || err != nil {
			return err
		}
		b.block = block
	}
	return nil
}

// take appends the next n bytes to dst, or all that are left. Memory grows with the
// bytes read, not with n.
func (b *goalBytes) take(dst []byte, n uint64) ([]byte, error) {
	for n > 0 {
		if err := b.fill(); err != nil || len(b.block) == 0 {
			return dst, err
		}
		part := b.block[:min(n, uint64(len(b.block)))]
		dst = append(dst, part...)
		b.pass(len(part))
		n -= uint64(len(part))
	}
	return dst, nil
}

func (b *goalBytes) pass(n int) {
	b.block = b.block[n:]
	b.offset += uint64(n)
}

// skipTo skips the bytes before offset, or all that are left.
func (b *goalBytes) skipTo(offset uint64) error {
	for b.offset < offset {
		if err := b.fill(); err != nil || len(b.block) == 0 {
			return err
		}
		b.pass(int(min(offset-b.offset, uint64(len(b.block)))))
	}
	return nil
}

// rest skips the remaining bytes, and counts them.
func (b *goalBytes) rest() (uint64, error) {
	from := b.offset
	err := b.skipTo(math.MaxUint64)
	return b.offset - from, err
}
