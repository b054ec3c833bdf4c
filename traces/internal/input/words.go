package input

import (
	"bytes"
	"fmt"
	"strings"
)

const MaxListed = 8 // threads or columns that a note lists

func Listed(names []string) string {
	if len(names) > MaxListed {
		return strings.Join(names[:MaxListed], ", ") + fmt.Sprintf(" and %d more", len(names)-MaxListed)
	}
	return strings.Join(names, ", ")
}

// TrimHex removes an optional 0x.
func TrimHex(b []byte) []byte {
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		return b[2:]
	}
	return b
}

func IsBlank(c byte) bool { return c == ' ' || c == '\t' }

// TrimBlanks removes Blanks at both ends.
func TrimBlanks(b []byte) []byte {
	if n := len(b); n > 0 && b[0] > ' ' && b[n-1] > ' ' { // all Blanks are at most ' '
		return b
	}
	return bytes.Trim(b, Blanks)
}

// Split appends the fields of line between separators to fields.
func Split(fields [][]byte, line []byte, separator byte) [][]byte {
	start := 0
	for i, c := range line {
		if c == separator {
			fields = append(fields, line[start:i])
			start = i + 1
		}
	}
	return append(fields, line[start:])
}

// MaxUnknownKinds is the number of unknown marker kinds that a note lists.
const MaxUnknownKinds = 8

func FirstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, Newline)
	return line
}
