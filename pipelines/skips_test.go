package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestSkipsAreJudged(t *testing.T) {
	const log = `=== RUN   TestA
    a_test.go:3: no samples at ../../shared/samples; SPOOR_SAMPLES names their folder
--- SKIP: TestA (0.00s)
=== RUN   TestB
=== RUN   TestB/one
=== RUN   TestC
=== NAME  TestB/one
    b_test.go:30: node is not installed: the readers are npm packages
=== NAME  TestC
    c_test.go:3: something else
--- PASS: TestC (0.00s)
--- PASS: TestB (0.01s)
    --- SKIP: TestB/one (0.00s)
=== RUN   FuzzD/seed#0
--- PASS: FuzzD (0.00s)
    --- SKIP: FuzzD/seed#0 (0.00s)
note: no slurmctld, so nothing runs on Slurm; apt-get install slurm-wlm munge
`
	for _, c := range []struct{ name, log, words, says string }{
		{"nothing is known", log, "", "FAILED TestA, FAILED TestB/one, FAILED make"},
		{"samples are", log, "samples", "note TestA, FAILED TestB/one, FAILED make"},
		{"all are", log, "samples node slurm", "note TestA, note TestB/one, note make"},
		{"nothing is skipped", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			ok := judgeSkips(c.log, strings.Fields(c.words), &out)
			var said []string
			for _, m := range regexp.MustCompile(`(?m)^(\w+): skipped, .*? here: (\S+): `).FindAllStringSubmatch(strings.ReplaceAll(out.String(), "has to be here", "here"), -1) {
				said = append(said, m[1]+" "+m[2])
			}
			if strings.Join(said, ", ") != c.says || ok == strings.Contains(c.says, "FAILED") {
				t.Errorf("%v, %s", ok, out.String())
			}
		})
	}
}
