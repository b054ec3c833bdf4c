// Package sniff judges the first lines of an input.
package sniff

import (
	"bytes"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

var Foreign = format.Verdict{Confidence: format.Foreign}

// Opening returns the first line of text, without its end. If that is empty, it returns all.
func Opening(head []byte) []byte {
	if line := bytes.TrimSpace(input.FirstLine(head)); len(line) > 0 {
		return line
	}
	return head
}

// SniffLines calls f with the complete lines at the start of head, at most limit of
// them. It returns the number of lines and the number for which f is true. A truncated
// last line counts only if f is true for it, or if it is the only line.
func SniffLines(head []byte, limit int, f func(line []byte) bool) (lines, hits int) {
	for len(head) > 0 && lines < limit {
		line, rest, whole := bytes.Cut(head, input.Newline)
		head = rest
		if line = bytes.Trim(line, input.Blanks); len(line) == 0 {
			continue
		}
		switch fits := f(line); {
		case fits:
			hits++
		case !whole && lines > 0:
			return lines, hits
		}
		lines++
	}
	return lines, hits
}

// SniffText is Likely if f is true for all lines at the start of head, and Nearly if it
// is for nine in ten.
func SniffText(head []byte, limit int, why string, f func(line []byte) bool) format.Verdict {
	switch lines, hits := SniffLines(head, limit, f); {
	case lines == 0 || hits < lines-lines/10:
		return Foreign
	case hits < lines:
		return format.Verdict{Confidence: format.Nearly, Why: why}
	}
	return format.Verdict{Confidence: format.Likely, Why: why}
}
