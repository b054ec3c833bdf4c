package message

import (
	"fmt"

	"spoor/analyze/marshal"
	"spoor/calibrate/packing"
	"spoor/traces/lookup"
	"spoor/traces/unit"
)

// Case is an array on a mesh of processors.
type Case struct {
	Rows, Cols         int64      // L_R and L_C, in items
	Item               unit.Bytes // size of an item
	MeshRows, MeshCols int64      // P_r and P_c
	D                  int64      // rows or columns to send, or the side of a box
	Printed            bool       // scans have their own formula
}

// Largest arrays and meshes.
const (
	maxItems = 1 << 31
	maxMesh  = 1 << 16
)

func (c *Case) check() error {
	switch {
	case c.Rows < 1 || c.Cols < 1 || c.Rows > maxItems || c.Cols > maxItems:
		return fmt.Errorf("an array of %d x %d items: both must be from 1 to 2^31", c.Rows, c.Cols)
	case c.Item < 1 || c.Item > 1<<16:
		return fmt.Errorf("items of %d bytes: they must be from 1 to 65536", int64(c.Item))
	case c.MeshRows < 1 || c.MeshCols < 1 || c.MeshRows > maxMesh || c.MeshCols > maxMesh:
		return fmt.Errorf("a mesh of %d x %d processors: both must be from 1 to %d", c.MeshRows, c.MeshCols, maxMesh)
	case c.MeshRows > c.Rows || c.MeshCols > c.Cols:
		return fmt.Errorf("a mesh of %d x %d processors is larger than an array of %d x %d items", c.MeshRows, c.MeshCols, c.Rows, c.Cols)
	case c.D < 1:
		return fmt.Errorf("d is %d: it must be above 0", c.D)
	}
	return nil
}

// rows returns b_r.
func (c *Case) rows() int64 { return (c.Rows + c.MeshRows - 1) / c.MeshRows }

// cols returns b_c, in items.
func (c *Case) cols() int64 { return (c.Cols + c.MeshCols - 1) / c.MeshCols }

// checkD returns an error if a processor has fewer than d rows or columns.
func (c *Case) checkD(most int64) error {
	if c.D > most {
		return fmt.Errorf("d is %d, but a processor has only %d", c.D, most)
	}
	return nil
}

// rectangle returns the layout of rows by cols items of an array with wide items in a row.
func (c *Case) rectangle(rows, cols, wide int64) marshal.Layout {
	item := int64(c.Item)
	return contiguous(marshal.Layout{Count: rows, Block: cols * item, Stride: wide * item})
}

func (c *Case) step(name string, times float64, kind packing.Experiment, touched ...marshal.Layout) step {
	return step{Name: name, Times: times, Kind: kind, Item: c.Item, Touched: touched}
}

// message returns the step that sends a layout a number of times.
func (c *Case) message(name string, times float64, of marshal.Layout) step {
	return c.step(name, times, packing.Transfer, of)
}

// statement returns the step of a statement on n items, with a number of accesses and operations for each
// item.
func (c *Case) statement(name string, times float64, n int64, accesses, ops float64, touched ...marshal.Layout) step {
	s := c.step(name, times, packing.Array, touched...)
	s.Accesses, s.Ops = accesses*float64(n), ops*float64(n)
	return s
}

// Operation is a communication or computation of programs on arrays.
type Operation struct {
	Name, Doc string
	steps     func(c *Case) ([]step, error)
}

// Steps returns the steps of every processor.
func (o Operation) Steps(c Case) ([]step, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	steps, err := o.steps(&c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	return steps, nil
}

// Operations lists all operations.
var Operations = []Operation{
	{"rows", "send d rows to the processor below", func(c *Case) ([]step, error) {
		return []step{c.message("rows", 1, c.rectangle(c.D, c.cols(), c.cols()))}, c.checkD(c.rows())
	}},
	{"columns", "send d columns to the processor on the right", func(c *Case) ([]step, error) {
		return []step{c.message("columns", 1, c.rectangle(c.rows(), c.D, c.cols()))}, c.checkD(c.cols())
	}},
	{"corner", "send a corner of d x d items", func(c *Case) ([]step, error) {
		return []step{c.message("corner", 1, c.rectangle(c.D, c.D, c.cols()))}, c.checkD(min(c.rows(), c.cols()))
	}},
	{"set", "the statement A = s, of a scalar s", func(c *Case) ([]step, error) { return c.arrays("A = s", 1, 1, 0), nil }},
	{"copy", "A = B", func(c *Case) ([]step, error) { return c.arrays("A = B", 2, 2, 0), nil }},
	{"scale", "A = B * s", func(c *Case) ([]step, error) { return c.arrays("A = B * s", 2, 2, 1), nil }},
	{"add", "A = B + C", func(c *Case) ([]step, error) { return c.arrays("A = B + C", 3, 3, 1), nil }},
	{"addto", "A = A + B", func(c *Case) ([]step, error) { return c.arrays("A = A + B", 2, 3, 1), nil }},
	{"hscan", "prefix sums along the rows", func(c *Case) ([]step, error) { return c.scan(true, c.cols()), nil }},
	{"vscan", "prefix sums along the columns", func(c *Case) ([]step, error) { return c.scan(false, c.cols()), nil }},
	{"convshift", "sums of all d x d boxes, by 2(d-1) shifts", func(c *Case) ([]step, error) { return c.convShift() }},
	{"convscan", "the same by two scans and three shifts", func(c *Case) ([]step, error) { return c.convScan() }},
}

// Named returns the operation called name.
func Named(name string) (Operation, error) {
	for _, o := range Operations {
		if o.Name == name {
			return o, nil
		}
	}
	return Operation{}, lookup.Unknown("operation", name, names(Operations, func(o Operation) string { return o.Name }))
}

// arrays returns one statement on the blocks of so many arrays.
func (c *Case) arrays(name string, arrays int, accesses, ops float64) []step {
	s := c.statement(name, 1, c.rows()*c.cols(), accesses, ops)
	for range arrays {
		s.Touched = append(s.Touched, c.rectangle(c.rows(), c.cols(), c.cols()))
	}
	return []step{s}
}
