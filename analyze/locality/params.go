package locality

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Param is a parameter with all that is needed to trust it.
type Param struct {
	Name string
	Estimate
	Unit   string // "1" for plain numbers
	N      uint64 // observations
	Method string
	Source string // file and its digest
}

// writer fills a parameter file: a TOML table for each parameter, after a comment that
// names the tool.
func writer(tool string, params []Param) func(io.Writer) error {
	return func(out io.Writer) error {
		w := bufio.NewWriter(out)
		fmt.Fprintf(w, "# made by %s\n", oneLine(tool))
		for _, p := range params {
			fmt.Fprintf(w, "\n[%s]\nvalue = %s\nunit = %s\nlo = %s\nhi = %s\nn = %d\nmethod = %s\nsource = %s\n",
				p.Name, number(p.Value), quote(p.Unit), number(p.Lo), number(p.Hi), p.N, quote(p.Method), quote(p.Source))
		}
		return w.Flush()
	}
}

// number prints the shortest float that reads back the same, as TOML wants it: with a
// point or an exponent.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// quote prints a basic string of TOML.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// oneLine keeps a comment a comment.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
