package sivasubramaniam1995

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// bcsstk14File is BCSSTK14 of the Harwell-Boeing collection, "stiffness matrix, roof of Omni Coliseum, Atlanta", in
// Harwell-Boeing format: public data, compressed by zstd.
//
//go:embed bcsstk14.hb.zst
var bcsstk14File []byte

// bcsstk14 returns the matrix BCSSTK14, scaled to a unit diagonal: D A D with D the inverse roots of A's diagonal.
// It is of order 1806, with 30824 non-zeros below the diagonal.
func bcsstk14() sparseSymmetric {
	m, err := readBCSSTK14()
	if err != nil { // the file is part of the program
		panic(err)
	}
	m.scaleToUnitDiagonal()
	return m
}

func readBCSSTK14() (m sparseSymmetric, err error) {
	d, err := zstd.NewReader(bytes.NewReader(bcsstk14File))
	if err != nil {
		return m, err
	}
	defer d.Close()
	text, err := io.ReadAll(d)
	if err != nil {
		return m, fmt.Errorf("decompressing BCSSTK14: %w", err)
	}
	if m, err = parseHarwellBoeing(string(text)); err != nil {
		return m, fmt.Errorf("reading BCSSTK14: %w", err)
	}
	return m, nil
}

// scaleToUnitDiagonal divides every element by the roots of the diagonal elements of its row and column.
func (m *sparseSymmetric) scaleToUnitDiagonal() {
	root := make([]float64, len(m.neighbours)*m.freedom)
	for _, e := range m.elements {
		if e.row == e.column {
			root[e.row] = math.Sqrt(e.value)
		}
	}
	for k := range m.elements {
		e := &m.elements[k]
		if e.row == e.column {
			e.value = 1
		} else {
			e.value /= root[e.row] * root[e.column]
		}
	}
}

// hbFields is the lines of one part of a Harwell-Boeing file: fields of a fixed width.
type hbFields struct {
	lines        []string
	count, width int // fields of a line, and their characters
}

// parseHarwellBoeing reads a real symmetric matrix in Harwell-Boeing format, without right-hand sides. Line 2 has the
// numbers of lines of the parts, line 3 the type and the sizes, and line 4 the formats. Then come the starts of the
// columns, the rows, and the values of the lower triangle, all counted from 1 [duff1989].
func parseHarwellBoeing(text string) (m sparseSymmetric, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 {
		return m, fmt.Errorf("the file has %d lines; the head alone has 4", len(lines))
	}
	var total, nPointers, nRows, nValues, rows, columns, stored int
	var kind string
	if _, err = fmt.Sscan(lines[1], &total, &nPointers, &nRows, &nValues); err != nil {
		return m, fmt.Errorf("line 2: %w", err)
	}
	if _, err = fmt.Sscan(lines[2], &kind, &rows, &columns, &stored); err != nil {
		return m, fmt.Errorf("line 3: %w", err)
	}
	if kind != "RSA" || rows != columns {
		return m, fmt.Errorf("line 3: the matrix is %s of %d x %d; it must be RSA (real, symmetric, assembled) and square", kind, rows, columns)
	}
	formats := strings.Fields(lines[3])
	if len(formats) < 3 || len(lines) < 4+nPointers+nRows+nValues {
		return m, fmt.Errorf("line 4: %d formats and %d lines; the head says 3 and %d", len(formats), len(lines), 4+total)
	}
	parts := make([]hbFields, 3)
	from := 4
	for i, n := range []int{nPointers, nRows, nValues} {
		if parts[i], err = newHBFields(formats[i], lines[from:from+n]); err != nil {
			return m, fmt.Errorf("line 4: %w", err)
		}
		from += n
	}
	return hbMatrix(parts, columns, stored)
}

// newHBFields splits lines by a Fortran format such as (12I6) or (4E20.13).
func newHBFields(format string, lines []string) (f hbFields, err error) {
	inside := strings.Trim(format, "()")
	count, width, ok := strings.Cut(strings.NewReplacer("E", "I", "D", "I", "F", "I").Replace(inside), "I")
	width, _, _ = strings.Cut(width, ".")
	f.lines = lines
	if f.count, err = strconv.Atoi(count); err == nil {
		f.width, err = strconv.Atoi(width)
	}
	if !ok || err != nil || f.count < 1 || f.width < 1 {
		return f, fmt.Errorf("format %s is not understood", format)
	}
	return f, nil
}

// field returns field i of all lines, from 0.
func (f hbFields) field(i int) string {
	line, from := i/f.count, i%f.count*f.width
	if line >= len(f.lines) || from >= len(f.lines[line]) {
		return ""
	}
	return strings.TrimSpace(f.lines[line][from:min(from+f.width, len(f.lines[line]))])
}

// hbMatrix makes a matrix of the three parts of a file.
func hbMatrix(parts []hbFields, n, stored int) (m sparseSymmetric, err error) {
	m = sparseSymmetric{freedom: 1, neighbours: make([][]int32, n)}
	start, err := strconv.Atoi(parts[0].field(0))
	for column := 0; column < n && err == nil; column++ {
		var end int
		if end, err = strconv.Atoi(parts[0].field(column + 1)); err != nil || end < start || end > stored+1 {
			return m, fmt.Errorf("column %d ends at entry %q of %d", column+1, parts[0].field(column+1), stored)
		}
		for ; start < end; start++ {
			row, rowErr := strconv.Atoi(parts[1].field(start - 1))
			value, valueErr := strconv.ParseFloat(parts[2].field(start-1), 64)
			if rowErr != nil || valueErr != nil || row <= column || row > n {
				return m, fmt.Errorf("entry %d is %q in row %q of column %d", start, parts[2].field(start-1), parts[1].field(start-1), column+1)
			}
			m.append(int32(row-1), int32(column), value)
		}
	}
	return m, err
}

// append adds an element of the lower triangle of a matrix without blocks.
func (m *sparseSymmetric) append(row, column int32, value float64) {
	m.elements = append(m.elements, symmetricElement{row, column, value})
	if row != column {
		m.neighbours[row], m.neighbours[column] = append(m.neighbours[row], column), append(m.neighbours[column], row)
	}
}
