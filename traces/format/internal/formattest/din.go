package formattest

import (
	"strconv"
	"strings"
	"testing"
)

// DinOfTiny is tiny.log as Dinero's tools would have it.
func DinOfTiny(t testing.TB, sizes bool) string {
	return DinOf(Sample(t, "tiny.log"), sizes)
}

// DinOf is lackey's text as Dinero's tools would have it: a modify is a read, then
// a write. It is made from the text, not with the exporters.
func DinOf(lackey string, sizes bool) string {
	var b strings.Builder
	put := func(label byte, record string) {
		addr, size, _ := strings.Cut(record, ",")
		if !sizes {
			b.WriteByte(byte('0' + strings.IndexByte("rwi", label)))
			b.WriteString(" " + addr + "\n")
			return
		}
		n, _ := strconv.ParseUint(size, 10, 64)
		b.WriteByte(label)
		b.WriteString(" " + addr + " " + strconv.FormatUint(n, 16) + "\n")
	}
	for line := range strings.Lines(lackey) {
		line = strings.TrimSpace(line)
		switch record := strings.TrimSpace(line[min(1, len(line)):]); {
		case strings.HasPrefix(line, "I "):
			put('i', record)
		case strings.HasPrefix(line, "L "):
			put('r', record)
		case strings.HasPrefix(line, "S "):
			put('w', record)
		case strings.HasPrefix(line, "M "):
			put('r', record)
			put('w', record)
		}
	}
	return b.String()
}
