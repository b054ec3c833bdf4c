package formattest

import (
	"fmt"
	"strings"
	"testing"
)

// CsvOfTiny is tiny.log in canonical columns; it is made from the text, not with
// the exporter. Time is the number of the row, from 1, as the tid is 0.
func CsvOfTiny(t testing.TB) string {
	var b strings.Builder
	b.WriteString("time,tid,op,addr,size\n")
	n := 0
	for line := range strings.Lines(Sample(t, "tiny.log")) {
		record := strings.Fields(line)
		if len(record) != 2 || !strings.Contains("ILSM", record[0]) {
			continue
		}
		n++
		addr, size, _ := strings.Cut(record[1], ",")
		op := map[string]string{"I": "I", "L": "R", "S": "W", "M": "M"}[record[0]]
		fmt.Fprintf(&b, "%d,0,%s,0x%s,%s\n", n, op, strings.TrimLeft(addr, "0"), size)
	}
	return b.String()
}
