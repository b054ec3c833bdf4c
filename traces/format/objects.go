package format

import (
	"fmt"
	"math/bits"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// objects turns requests for cache objects into references. An object has a number or a
// key, and any size. Each object is one block of memory; its address is its number
// times the block size. A request is one instruction, so that reuse times count
// requests. An analysis whose line size is the block size sees one line for each
// object.
type objects struct {
	*stream
	block uint64 // bytes of a block, a power of two
	shift uint

	large   uint64 // requests for objects larger than a block
	empty   uint64 // requests for objects of 0 bytes
	wrapped uint64 // numbers that lose their upper bits
}

// settingBlock is the setting of all formats of objects.
var settingBlock = Setting{"block", "64B", "memory block that represents an object, a power of two up to 32KiB; with lines of this size, an analysis sees one line per object"}

func newObjects(sink Sink, o Options, f SettingsLister) (objects, error) {
	size, err := unit.ParseBytes(o.Setting(f, settingBlock.Name))
	if err != nil || size < 1 || size > 1<<15 || size&(size-1) != 0 {
		return objects{}, badSetting("block=%s: give a power of two from 1B to 32KiB", o.Setting(f, settingBlock.Name))
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
	all = append(all, fmt.Sprintf("an object is a block of %s at address number times block size; a request is one instruction", plural(int(s.block), "byte")))
	if s.large > 0 {
		all = append(all, fmt.Sprintf("%s for objects larger than a block, imported as one block", requests(s.large)))
	}
	if s.empty > 0 {
		all = append(all, fmt.Sprintf("%s of 0 bytes, imported as 1 byte", requests(s.empty)))
	}
	if s.wrapped > 0 {
		all = append(all, fmt.Sprintf("%s with a number over %d bits, of which only the low bits are used", requests(s.wrapped), 64-s.shift))
	}
	return all
}

func requests(n uint64) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}
