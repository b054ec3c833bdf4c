// Package objects reads and writes traces of requests to caches of objects.
package objects

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/zeebo/xxh3"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Objects turns requests for cache objects into references. An object has a number or a
// key, and any size. Each object is one block of memory; its address is its number
// times the block size. A request is one instruction, so that reuse times count
// requests. An analysis whose line size is the block size sees one line for each
// object.
type Objects struct {
	*emit.Stream
	block uint64 // bytes of a block, a power of two
	shift uint

	large  uint64 // requests for objects larger than a block
	empty  uint64 // requests for objects of 0 bytes
	hashed uint64 // keys, whose hash is the number of the object
	high   uint64 // requests with a number that does not fit, and is hashed like a key
}

// settingBlock is the setting of all formats of objects.
var settingBlock = format.Setting{Name: "block", Default: "64B", Doc: "memory block that represents an object, a power of two up to 32KiB; with lines of this size, an analysis sees one line per object"}

func newObjects(sink format.Sink, o format.Options, f format.Format) (Objects, error) {
	size, err := unit.ParseBytes(o.Setting(f, settingBlock.Name))
	if err != nil || size < 1 || size > 1<<15 || size&(size-1) != 0 {
		return Objects{}, format.BadSetting("block=%s: give a power of two from 1B to 32KiB", o.Setting(f, settingBlock.Name))
	}
	return Objects{Stream: emit.NewStream(sink, o.FirstProc), block: uint64(size), shift: uint(bits.TrailingZeros64(uint64(size)))}, nil
}

// request appends a reference to an object of size bytes.
func (s *Objects) request(id, size uint64, op trace.Op) {
	switch {
	case size > s.block:
		s.large++
		size = s.block
	case size == 0:
		s.empty++
		size = 1
	}
	if id > s.most() {
		s.high++
		id = s.hash(strconv.AppendUint(nil, id, 10))
	}
	s.Execute(1)
	s.Ref(id<<s.shift, uint16(size), op)
}

// most is the highest number of an object: the blocks of two objects must not overlap.
func (s *Objects) most() uint64 { return math.MaxUint64 >> s.shift }

// hash returns the number of the object with that key.
func (s *Objects) hash(key []byte) uint64 { return xxh3.Hash(key) & s.most() }

func (s *Objects) notes() (all []string) {
	all = append(all, fmt.Sprintf("an object is a block of %s at address number times block size; a request is one instruction", input.Plural(int(s.block), "byte")))
	if s.large > 0 {
		all = append(all, fmt.Sprintf("%s for objects larger than a block, imported as one block", requests(s.large)))
	}
	if s.empty > 0 {
		all = append(all, fmt.Sprintf("%s of 0 bytes, imported as 1 byte", requests(s.empty)))
	}
	if s.hashed > 0 {
		all = append(all, fmt.Sprintf("the number of an object is the hash (XXH3, %d bits) of its key", 64-s.shift))
	}
	if s.high > 0 {
		all = append(all, fmt.Sprintf("%s with a number over %d bits, replaced by the hash (XXH3) of its decimal digits", requests(s.high), 64-s.shift))
	}
	return all
}

func requests(n uint64) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}
