package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Means are weighted by cases: (4*10 + 12*30)/16 = 25; the factor is a geometric mean: (1^4 * 16^4)^(1/8) = 4.
func TestLawErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "laws.csv")
	text := `program,machine,model,rows,mean_error,worst_error,factor
fft n=1,smp,log,4,10,20,2
lu n=1,smp,log,12,30,50,2
fft n=1,cow,log without barriers +12.4%,4,1,3,1
lu n=1,cow,log without barriers +12.4%,4,2,5,16
program,machine,model,cpi
tpcc,smp,log,9
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	rows, err := readRows([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	const want = "| law | barrier term | remote accesses | SMPs | workstations | clusters of SMPs |\n|---|---|---|---|---|---|\n" +
		"| `log` | yes | | 25 / 50, 2.00 | - | - |\n| `log` | no | +12.4 % | - | 1.5 / 5.0, 4.00 | - |\n"
	var m markdown
	if lawErrors(&m, rows); m.String() != want {
		t.Errorf("%s\nwant\n%s", m.String(), want)
	}
	var none markdown
	if lawErrors(&none, rows[len(rows)-1:]); none.Len() > 0 {
		t.Error("a table without errors of laws")
	}
}
