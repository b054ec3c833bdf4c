package dumpi

import (
	"bytes"
	"fmt"
	"spoor/traces/internal/input"
)

// dumpiBuiltin lists the sizes in bytes of MPI's datatypes by their number in dumpi, on
// machines with 64-bit longs. For MPI_LONG_LONG_INT, number 16, dumpi lists 0.
var dumpiBuiltin = [...]int64{2: 1, 3: 1, 4: 1, 5: 1, 6: 4, 7: 2, 8: 2, 9: 4, 10: 4, 11: 8, 12: 8, 13: 4, 14: 8, 15: 16,
	16: 8, 17: 8, 18: 8, 19: 1, 20: 0, 21: 0, 22: 8, 23: 12, 24: 12, 25: 6, 26: 8, 27: 20}

// dumpiTypes holds the sizes of datatypes in bytes.
type dumpiTypes struct {
	listed map[int64]int64 // from the footer of dumpi2ascii -a
	made   map[int64]int64 // from calls so far; -1 if the call does not give it
	used   map[int64]int64 // used sizes of MPI's own datatypes
}

func (t *dumpiTypes) init() {
	t.listed, t.made, t.used = map[int64]int64{}, map[int64]int64{}, map[int64]int64{}
}

// size returns the size of datatype id, if known.
func (t *dumpiTypes) size(id int64) (int64, bool) {
	if id >= 0 && id < int64(len(dumpiBuiltin)) {
		size := dumpiBuiltin[id]
		if listed := t.listed[id]; listed > 0 {
			size = listed
		}
		t.used[id] = size
		return size, id > 1
	}
	if size, ok := t.made[id]; ok && size >= 0 {
		return size, true
	}
	size, ok := t.listed[id]
	return size, ok && size > 0
}

// dumpiSizeLine reads "Datatype 14 (MPI_DOUBLE) has size 8".
func dumpiSizeLine(line []byte) (id, size int64, err error) {
	at := bytes.LastIndex(line, []byte(" has size "))
	if at < 0 {
		return 0, 0, &dumpiCut{"not the size of a datatype"}
	}
	a, problem := input.ParseDecimal(bytes.SplitN(line, []byte(" "), 3)[1])
	b, problem2 := input.ParseDecimal(line[at+len(" has size "):])
	if problem != "" || problem2 != "" || a > 1<<31 || b > 1<<48 {
		return 0, 0, &dumpiCut{"not the size of a datatype"}
	}
	return int64(a), int64(b), nil
}

// readSizes reads the footer before the calls, if the file can be read twice.
func (r *dumpiRank) readSizes() error {
	in, err := r.d.files.Again(int(r.file))
	if err != nil {
		return nil // the footer is compared with the used sizes when it comes
	}
	defer in.Close()
	var t input.Text
	return t.Lines(in, func(line []byte, _ bool) error {
		if bytes.HasPrefix(line, []byte("Datatype ")) {
			if id, size, err := dumpiSizeLine(bytes.Trim(line, input.Blanks)); err == nil {
				r.types.listed[id] = size
			}
		}
		return nil
	})
}

// checkSize compares a size in the footer with the size that was used.
func (r *dumpiRank) checkSize(line []byte) error {
	id, size, err := dumpiSizeLine(line)
	if err != nil {
		return err
	}
	if used, ok := r.types.used[id]; ok && size > 0 && used != size {
		return r.Fail(line, fmt.Sprintf("the datatype was read as %d bytes", used), "import the text from a file, so that its end can be read first")
	}
	return nil
}

// newType records the size of the datatype that a call makes from elements of the old
// one.
func (r *dumpiRank) newType(c *dumpiCall, elements func() int64) error {
	n := elements()
	size, ok := r.types.size(c.int("oldtype"))
	if !ok || n < 0 {
		size, n = 1, -1
	}
	if total := r.product(c, c.arg("oldtype"), max(n, 0), size); n >= 0 {
		n = total
	}
	r.types.made[c.int("newtype")] = n
	return c.err
}

// sum adds the elements of an array.
func (r *dumpiRank) sum(c *dumpiCall, name string) (total int64) {
	r.ints[0] = c.ints(name, r.ints[0])
	for _, v := range r.ints[0] {
		if v < 0 || v > 1<<40 {
			c.bad(c.arg(name), "a count is negative or over 2^40", "")
			return 0
		}
		total += v
	}
	return total
}

func (r *dumpiRank) typeContiguous(c *dumpiCall) error {
	return r.newType(c, func() int64 { return c.count("count") })
}

func (r *dumpiRank) typeVector(c *dumpiCall) error {
	return r.newType(c, func() int64 { return r.product(c, c.must("count"), c.count("count"), c.count("blocklength")) })
}

func (r *dumpiRank) typeIndexed(c *dumpiCall) error {
	return r.newType(c, func() int64 { return r.sum(c, "lengths") })
}

func (r *dumpiRank) typeSame(c *dumpiCall) error {
	return r.newType(c, func() int64 { return 1 })
}

func (r *dumpiRank) typeSubarray(c *dumpiCall) error {
	return r.newType(c, func() int64 {
		r.ints[0] = c.ints("subsizes", r.ints[0])
		n := int64(1)
		for _, v := range r.ints[0] {
			n = r.product(c, c.arg("subsizes"), max(v, 0), n)
		}
		return n
	})
}

// typeStruct has blocks of different datatypes.
func (r *dumpiRank) typeStruct(c *dumpiCall) error {
	r.ints[0], r.ints[1] = c.ints("lengths", r.ints[0]), c.ints("oldtypes", r.ints[1])
	total := int64(0)
	for i, old := range r.ints[1] {
		size, ok := r.types.size(old)
		if !ok || i >= len(r.ints[0]) || r.ints[0][i] < 0 {
			total = -1
			break
		}
		if total += r.product(c, c.arg("lengths"), r.ints[0][i], size); total < 0 {
			c.bad(c.arg("lengths"), "over 2^63 bytes", "")
		}
	}
	r.types.made[c.int("newtype")] = total
	return c.err
}

// typeUnknown is a datatype whose size the call does not give.
func (r *dumpiRank) typeUnknown(c *dumpiCall) error {
	r.types.made[c.int("newtype")] = -1
	return c.err
}

// typeSize gives the size of a datatype.
func (r *dumpiRank) typeSize(c *dumpiCall) error {
	if id := c.int("datatype"); id >= int64(len(dumpiBuiltin)) && c.err == nil {
		r.types.made[id] = c.count("size")
	}
	return c.err
}
