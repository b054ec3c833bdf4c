package csv

import (
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// fast parses plain rows from the start of b, and returns the number of bytes parsed. It stops at the first other
// line: one with quotes or blanks, one whose line end is missing, and one with an error.
func (p *csvParser) fast(b []byte) int {
	if p.cols == nil || p.sep == ' ' {
		return 0
	}
	for i := 0; ; {
		v := [csvColumns]uint64{csvSize: p.size}
		op, end := p.plainRow(b, i, &v)
		if end < 0 || v[csvSize]-1 > 65534 || v[csvAddr]+v[csvSize]-1 < v[csvAddr] {
			return i
		}
		p.Line++
		if p.record(b[i:end], op, &v) != nil {
			p.Line-- // parse finds the error again
			p.rows--
			return i
		}
		i = end + 1
	}
}

// plainRow parses the row at b[i:] and returns where its line ends, or -1 if it is not plain.
func (p *csvParser) plainRow(b []byte, i int, v *[csvColumns]uint64) (op trace.Op, end int) {
	op = trace.Load
	for n, col := range p.cols {
		start := i
		switch col {
		case 0:
			i = plainText(b, i, p.sep)
		case csvOp:
			if i < len(b) {
				op, i = csvLetters[b[i]], i+1
			}
			if op == 0 {
				return 0, -1
			}
		case csvAddr:
			v[csvAddr], i = p.plainAddress(b, i)
		default:
			v[col], i = input.LongDecimalRun(b, i)
		}
		until := p.sep
		if n == len(p.cols)-1 {
			until = '\n'
		}
		if i == start || i >= len(b) || b[i] != until {
			return 0, -1
		}
		i++
	}
	return op, i - 1
}

// plainAddress reads an address, and returns its end. That is i if there is none.
func (p *csvParser) plainAddress(b []byte, i int) (addr uint64, end int) {
	start := i
	switch {
	case i+2 < len(b) && b[i] == '0' && b[i+1]|0x20 == 'x':
		start = i + 2
		addr, end = input.HexRun(b, start)
	case p.hex:
		addr, end = input.HexRun(b, i)
	default:
		addr, end = input.LongDecimalRun(b, i)
	}
	if end == start {
		return 0, i
	}
	return addr, end
}

// plainText returns the end of a value of an ignored column.
func plainText(b []byte, i int, sep byte) int {
	for i < len(b) && b[i] != sep && b[i] > ' ' && b[i] != '"' {
		i++
	}
	return i
}
