// Package marshalling performs the work that marshalling models are calibrated with [hur1999, secs. 4.4, 6 and 7]:
// packing and unpacking blocks of matrices, scans, and array statements. It also draws the points to measure.
//
// Items are integers of 4 bytes. Matrices are stored by rows and start at a page. Blocks are rows or columns of
// them. Package transport measures the points, between two processors if data are sent.
package marshalling

import (
	"fmt"

	"spoor/calibrate/packing"
)

// Sizes: bytes of an item, bytes of the largest matrix [hur1999, sec. 4.4], and lines of its largest block.
const (
	Item      = 4
	mostSide  = 4000
	mostLines = 200 // rows or columns of a block
	Matrix    = mostSide * mostSide * Item
	Packed    = mostLines * mostSide * Item
)

// Layout is the position of a block in a matrix, in items.
type Layout struct{ Base, Rows, Cols, Stride int64 }

// LayoutOf returns the layout of a point, or the zero Layout if it has none.
func LayoutOf(p *packing.Point) Layout {
	if p.Item != Item {
		return Layout{}
	}
	return Layout{int64(p.Base / Item), p.Rows, p.Cols, int64(p.Stride / Item)}
}

// Fits reports whether the block lies in memory of so many items.
func (l Layout) Fits(items int64) bool {
	return l.Rows > 0 && l.Cols > 0 && l.Base >= 0 && l.Stride >= l.Cols && l.Base+(l.Rows-1)*l.Stride+l.Cols <= items
}

// Check returns an error if the buffers are too small for a point.
func Check(p *packing.Point) error {
	l, room := LayoutOf(p), int64(Matrix/Item)
	if p.Experiment == packing.Array {
		room = apart
	}
	if !l.Fits(room) || p.Experiment != packing.Array && l.Rows*l.Cols > Packed/Item {
		return fmt.Errorf("a block of %d x %d items of %v, %v apart, at %d is too large", p.Rows, p.Cols, p.Item, p.Stride, p.Base)
	}
	return nil
}

// Pack copies the block to contiguous memory.
func (l Layout) Pack(packed, matrix []int32) {
	for row, at := l.Rows, l.Base; row > 0; row-- {
		packed = packed[copy(packed, matrix[at:at+l.Cols]):]
		at += l.Stride
	}
}

// Unpack copies a contiguous buffer to the block.
func (l Layout) Unpack(matrix, packed []int32) {
	for row, at := l.Rows, l.Base; row > 0; row-- {
		packed = packed[copy(matrix[at:at+l.Cols], packed):]
		at += l.Stride
	}
}

// Scan performs the part of one process in a parallel prefix operation over a matrix without gaps, whose rows are
// Stride items apart. If the block is the last column, it adds up each item and those to its left. If the block is
// the last row, it adds up each item and those above it. carry is the input from the previous process. Scan
// replaces it by the output for the next process, which is the block.
func (l Layout) Scan(matrix, carry []int32) {
	width := l.Stride
	if l.Rows > 1 {
		for i := range l.Rows {
			sum := carry[i]
			row := matrix[i*width:][:width]
			for j := range row {
				sum += row[j]
				row[j] = sum
			}
			carry[i] = sum
		}
		return
	}
	for first := int64(0); first <= l.Base; first += width {
		row := matrix[first:][:width]
		for j, sum := range carry[:width] {
			row[j] += sum
			carry[j] = row[j]
		}
	}
}
