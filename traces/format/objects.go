package format

import (
	"fmt"
	"math/bits"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// objects turns requests for objects of a cache, which have a number or a key and any
// size, into references: each object is one block of memory, at its number times
// the size of a block. A request is one instruction, so that reuse times count
// requests. An analysis whose lines have the size of a block sees one line for
// each object.
type objects struct {
	*stream
	block uint64 // bytes of a block, a power of two
	shift uint

	large   uint64 // requests for objects larger than a block
	empty   uint64 // requests for objects of 0 bytes
	wrapped uint64 // numbers whose first bits are lost
}

// settingBlock is the setting of all formats of objects.
var settingBlock = Setting{"block", "64B", "size of the block of memory that stands for an object, a power of two up to 32KiB; analyses see one line for each object if their lines are as large"}

func newObjects(sink Sink, o Options, f Tunable) (objects, error) {
	size, err := unit.ParseBytes(o.Setting(f, settingBlock.Name))
	if err != nil || size < 1 || size > 1<<15 || size&(size-1) != 0 {
		return objects{}, badSetting("block=%s: it is not a power of two from 1B to 32KiB", o.Setting(f, settingBlock.Name))
	}
	return objects{stream: newStream(sink, o.FirstProc), block: uint64(size), shift: uint(bits.TrailingZeros64(uint64(size)))}, nil
}

// request appends a reference to an object of size bytes.
func (s *objects) request(id, size uint64, op trace.Op) {
	switch {
	case size > s.block:
		s.large++
		size = s.block
	case size == 0:
		s.empty++
		size = 1
	}
	if id>>(64-s.shift) != 0 && s.shift > 0 {
		s.wrapped++
	}
	s.execute(1)
	s.ref(id<<s.shift, uint16(size), op)
}

func (s *objects) notes() (all []string) {
	all = append(all, fmt.Sprintf("an object is a block of %s at its number times that; a request is one instruction", plural(int(s.block), "byte")))
	if s.large > 0 {
		all = append(all, fmt.Sprintf("%s for objects larger than a block, which are taken for one block", requests(s.large)))
	}
	if s.empty > 0 {
		all = append(all, fmt.Sprintf("%s of 0 bytes, taken for 1", requests(s.empty)))
	}
	if s.wrapped > 0 {
		all = append(all, fmt.Sprintf("%s whose number is over %d bits, of which the last ones count", requests(s.wrapped), 64-s.shift))
	}
	return all
}

func requests(n uint64) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}
