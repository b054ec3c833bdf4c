package message

import (
	"errors"

	"spoor/calibrate/packing"
)

// scan returns the steps of prefix sums over an array with wide items in a row [hur1999, sec. 6], as in kernel
// scan. Every processor scans its block. Then sums pass along the mesh, and one processor after the other
// finishes its last column (or row). Each adds the received sums to the rest of its block. The last one ends
// last.
//
// Differs: as printed, a scan has its own formula, of two columns (or rows) and one operation for each item.
// But processors after the first add twice, and the paper fits its formula for every mesh anew.
func (c *Case) scan(horizontal bool, wide int64) []step {
	edge, hops := c.rectangle(1, c.cols(), wide), c.MeshRows-1
	name, of := "vertical scan", "row"
	if horizontal {
		edge, hops = c.rectangle(c.rows(), 1, wide), c.MeshCols-1
		name, of = "horizontal scan", "column"
	}
	n, block := c.rows()*c.cols(), c.rectangle(c.rows(), c.cols(), wide)
	if c.Printed {
		s := c.step(name, 1, packing.Scan, edge, edge)
		s.Ops = float64(n)
		return []step{s}
	}
	steps := []step{c.statement(name+" of the block", 1, n, 3, 1, block)}
	if hops == 0 {
		return steps
	}
	times := float64(hops)
	return append(steps,
		c.message("the last "+of, times, edge),
		c.statement("finish the last "+of, times, edge.Count*edge.Block/int64(c.Item), 3, 1, edge),
		c.statement("add to the rest", 1, n, 2, 1, block))
}

// convShift returns the steps of kernel convshift [hur1999, sec. 7]: d-1 shifts by a column and d-1 by a row.
// After each, the moved items are added. The array that moves has a row above and a column before it.
func (c *Case) convShift() ([]step, error) {
	rows, cols := c.rows(), c.cols()
	n, wide, times := rows*cols, cols+1, float64(c.D-1)
	block, moved := c.rectangle(rows, cols, cols), c.rectangle(rows, cols, wide)
	steps := []step{
		c.statement("sums = image", 1, n, 2, 0, block, block),
		c.statement("T = image", 1, n, 2, 0, block, moved),
		c.statement("T = sums", 1, n, 2, 0, block, moved),
		c.statement("sums = sums * w", 1, n, 2, 1, block),
	}
	if c.D > 1 {
		if c.MeshCols > 1 {
			steps = append(steps, c.message("shift a column", times, c.rectangle(rows, 1, wide)))
		}
		if c.MeshRows > 1 {
			steps = append(steps, c.message("shift a row", times, c.rectangle(1, cols, wide)))
		}
		steps = append(steps,
			c.statement("T = T@west, T@north", 2*times, n, 2, 0, moved),
			c.statement("sums = sums + T", 2*times, n, 3, 1, block, moved))
	}
	return steps, c.checkBox()
}

// convScan returns the steps of kernel convscan [hur1999, sec. 7]: two scans, shifts by d rows, d columns and
// the corner, and the sums of boxes from four prefix sums each. The array of prefix sums has d rows above and
// d columns before it.
func (c *Case) convScan() ([]step, error) {
	rows, cols, d := c.rows(), c.cols(), c.D
	n, wide := rows*cols, cols+d
	block, prefix := c.rectangle(rows, cols, cols), c.rectangle(rows, cols, wide)
	steps := []step{c.statement("prefix = image", 1, n, 2, 0, block, prefix)}
	steps = append(steps, c.scan(true, wide)...)
	steps = append(steps, c.scan(false, wide)...)
	if c.MeshRows > 1 {
		steps = append(steps, c.message("shift d rows", 1, c.rectangle(d, cols, wide)))
	}
	if c.MeshCols > 1 {
		steps = append(steps, c.message("shift d columns", 1, c.rectangle(rows, d, wide)))
	}
	if c.MeshRows > 1 && c.MeshCols > 1 {
		steps = append(steps, c.message("shift the corner", 1, c.rectangle(d, d, wide)))
	}
	return append(steps,
		c.statement("sums of boxes", 1, n, 5, 3, prefix, block),
		c.statement("sums = sums * w", 1, n, 2, 1, block)), c.checkBox()
}

// checkBox returns an error if boxes reach beyond the neighbours.
func (c *Case) checkBox() error {
	if c.D > min(c.rows(), c.cols()) {
		return errors.New("boxes are larger than the block of a processor")
	}
	return nil
}
