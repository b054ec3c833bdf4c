package meshes

import (
	"fmt"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// mesh arranges ranks in rows and columns, rank by rank along the rows.
type mesh struct{ rows, cols int }

// outside stands for the missing neighbour of a rank at the border of the mesh.
const outside = -1

// meshRows is the parameter of kernels with a choice of mesh.
var meshRows = workload.Param{Name: "meshrows", Default: 0, Min: 0, Max: spmd.MaxProcs,
	Doc: "rows of the mesh of ranks; 0 is the most nearly square mesh"}

// newMesh returns a mesh with the given rows, or with the most nearly square shape if rows is 0.
func newMesh(rows, procs int) mesh {
	if rows == 0 {
		rows, _ = workload.Grid(procs)
	}
	return mesh{rows, procs / rows}
}

// checkMesh returns an error if procs ranks do not form the mesh, or if a rank has fewer than least rows or columns
// of an n x n matrix.
func checkMesh(rows, procs, n, least int) error {
	if rows > 0 && procs%rows != 0 {
		return fmt.Errorf("%d ranks do not form a mesh of %d rows; use a multiple of %d", procs, rows, rows)
	}
	m := newMesh(rows, procs)
	if n/max(m.rows, m.cols) < least {
		return fmt.Errorf("%d rows and columns on a mesh of %d x %d ranks leave a rank fewer than %d; use fewer ranks",
			n, m.rows, m.cols, least)
	}
	return nil
}

// position returns the row and column of a rank.
func (m mesh) position(rank int) (row, col int) { return rank / m.cols, rank % m.cols }

// neighbour returns the rank that is down rows lower and right columns further right, or outside.
func (m mesh) neighbour(rank, down, right int) int {
	row, col := m.position(rank)
	row, col = row+down, col+right
	if row < 0 || row >= m.rows || col < 0 || col >= m.cols {
		return outside
	}
	return row*m.cols + col
}

// neighbours counts the ranks beside, above and below one.
func (m mesh) neighbours(rank int) (count int) {
	for _, n := range [...]int{m.neighbour(rank, -1, 0), m.neighbour(rank, 1, 0), m.neighbour(rank, 0, -1), m.neighbour(rank, 0, 1)} {
		if n != outside {
			count++
		}
	}
	return count
}

// block returns a rank's part of a matrix with the given rows and columns: rows top..bottom-1, columns
// left..right-1.
func (m mesh) block(rank, rows, cols int) (top, bottom, left, right int) {
	row, col := m.position(rank)
	top, bottom = spmd.Share(rows, m.rows, row)
	left, right = spmd.Share(cols, m.cols, col)
	return top, bottom, left, right
}

// scatter cuts a matrix, stored by rows, into the blocks of all ranks, each by rows.
func scatter[T any](m mesh, whole []T, rows, cols int) [][]T {
	parts := make([][]T, m.rows*m.cols)
	for rank := range parts {
		top, bottom, left, right := m.block(rank, rows, cols)
		parts[rank] = make([]T, 0, (bottom-top)*(right-left))
		for i := top; i < bottom; i++ {
			parts[rank] = append(parts[rank], whole[i*cols+left:i*cols+right]...)
		}
	}
	return parts
}

// gather returns the matrix that scatter cut into parts.
func gather[T any](m mesh, parts [][]T, rows, cols int) []T {
	whole := make([]T, rows*cols)
	for rank, part := range parts {
		top, bottom, left, right := m.block(rank, rows, cols)
		for i := top; i < bottom; i++ {
			copy(whole[i*cols+left:i*cols+right], part[(i-top)*(right-left):])
		}
	}
	return whole
}
