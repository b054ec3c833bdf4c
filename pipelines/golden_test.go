package main

import (
	"regexp"
	"strings"
	"testing"
)

// What is said of rows that differ, are missing, are not expected, or are elsewhere. In these tables blanks are tabs. Two have
// one key, the third another.
func TestGoldenSaysWhatDiffers(t *testing.T) {
	const settings = "# key: program n place\n# tolerance 1%: time\n# tolerance 0.1: error\n"
	const rows = `program n time error events
lu 1 100 0.5 7
lu 2 50 -0.5 7
fft 1 20 NaN 3
program n time error events
fft 2 10 0 3
program place time
lu here 1e-3
lu here 2e-3
`
	tabs := strings.NewReplacer(" ", "\t")
	for _, c := range []struct {
		name    string
		changes []string // pairs: a regular expression, and what stands in the place of what it finds
		says    string
	}{
		{"nothing", nil, ""},
		{"within tolerances", []string{"lu 1 100 0.5", "lu 1 100.9 0.41", "1e-3", "0.001009"}, ""},
		{"beyond tolerances", []string{"lu 1 100 0.5 7", "lu 1 102 0.61 8", "NaN", "1", "2e-3", "-"}, `
program lu, n 1: time is 102, and 100 is expected, within 1%
program lu, n 1: error is 0.61, and 0.5 is expected, within 0.1
program lu, n 1: events is 8, and 7 is expected
program fft, n 1: error is 1, and NaN is expected, within 0.1
program lu, place here (row 2 of that name): time is -, and 2e-3 is expected, within 1%`},
		{"one row less", []string{"lu 1 .*\n", ""}, "\nprogram lu, n 1: this row is missing"},
		{"one row more", []string{"(fft 1 .*\n)", "$1$1", "fft 2 ", "fft 3 "}, `
program fft, n 1 (row 2 of that name): this row is not expected
program fft, n 3: this row is not expected
program fft, n 2: this row is missing`},
		{"another order", []string{"(lu 1 .*\n)((?s).*fft 1 [^\n]*\n)", "$2$1"}, `
rows are in another order: program lu, n 2 stands where program lu, n 1 is expected`},
		{"another column", []string{"error events", "error happened", "(?s)program place.*", ""}, `
column events is missing
column happened is not expected
program lu, place here: this row is missing
program lu, place here (row 2 of that name): this row is missing`},
		{"no rows", []string{"(?s).*", ""}, `
program lu, n 1: this row is missing
program lu, n 2: this row is missing
program fft, n 1: this row is missing
program fft, n 2: this row is missing
program lu, place here: this row is missing
program lu, place here (row 2 of that name): this row is missing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			actual := rows
			for i := 0; i < len(c.changes); i += 2 {
				actual = regexp.MustCompile(c.changes[i]).ReplaceAllString(actual, c.changes[i+1])
			}
			var out strings.Builder
			ok := compareGolden("s", settings+tabs.Replace(rows), tabs.Replace(actual), &out)
			lines := strings.SplitAfter(out.String(), "\n")
			said := strings.Join(lines[:len(lines)-2], "") // but for the last line
			want := strings.ReplaceAll(c.says, "\n", "\ngolden: s: ") + "\n"
			if ok != (c.says == "") || "\n"+said != want {
				t.Errorf("%v, said:\n%s", ok, out.String())
			}
		})
	}
}
