package stage

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// escape returns s with control characters, marks of the direction of text and bytes that are not UTF-8 as escapes, such
// as \u001b. Names come from files, and a terminal would obey them.
func escape(s string) string {
	if plain(s, "") {
		return s
	}
	var b strings.Builder
	escapeTo(&b, s, "")
	return b.String()
}

// plain reports whether s is ASCII without control characters other than those in allowed.
func plain[T string | []byte](s T, allowed string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && strings.IndexByte(allowed, c) < 0) || c >= 0x7f {
			return false
		}
	}
	return true
}

// escapeTo appends s to b. Of the control characters, it keeps those in allowed.
func escapeTo(b *strings.Builder, s, allowed string) {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(b, `\x%02x`, s[i])
		case hidden(r) && !strings.ContainsRune(allowed, r):
			fmt.Fprintf(b, `\u%04x`, r) // also an escape of JSON
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
}

// hidden reports whether a terminal shows nothing for r, but obeys it.
func hidden(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0: // control characters
	case r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // direction of text
	case r == 0x2028, r == 0x2029: // ends of lines
	default:
		return false
	}
	return true
}

// allowedInOutput are the control characters that commands print themselves.
const allowedInOutput = "\n\t"
