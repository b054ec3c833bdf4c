package main

import (
	"strings"
	"testing"
)

// Values and ratios are medians of the rounds, and compared with thresholds as numbers.
func TestFiguresAreMedians(t *testing.T) {
	at := map[string]int{"figure": 0, "package": 1, "benchmark": 2, "metric": 3, "reference": 4, "of": 5, "judged": 6, "threshold": 7}
	figure := func(cells string) row { return row{at, strings.Fields(cells)} }
	raw := "cpu: a 486\npkg: spoor/a/b\n" +
		"BenchmarkX/1-8 5 30 ns/op 3 MB/s\nBenchmarkX/1-8 5 10 ns/op 9 MB/s\nBenchmarkX/1-8 5 20 ns/op 5 MB/s\n" +
		"BenchmarkY-8 5 1 ns/op\nBenchmarkY-8 5 1 ns/op\nBenchmarkY-8 5 4 ns/op\n"
	var out strings.Builder
	printFigures([]row{
		figure("time a/b X/1 ns/op Y ns/op ratio >=2"), figure("slow a/b X/1 ns/op Y ns/op ratio <=5"),
		figure("speed a/b X/1 MB/s - - value >=6"), figure("none a/b Z ns/op - - value >=6"),
	}, measure([]byte(raw)), &out, "# "+field([]byte(raw), "cpu")+"\n")
	want := `# a 486
figure value unit reference ratio threshold met
time 20 ns/op 1 10 ratio >=2 yes
slow 20 ns/op 1 10 ratio <=5 no
speed 5 MB/s - - value >=6 no
none  ns/op - - value >=6 not measured
`
	if got := strings.ReplaceAll(out.String(), "\t", " "); got != want {
		t.Errorf("got %s", got)
	}
}

// A benchmark that is skipped says why, once for all rounds. An unknown figure is an error.
func TestBenchSays(t *testing.T) {
	raw := "BenchmarkX/a\n    x_test.go:5: PEER is not set. Build it:\n          make\n--- SKIP: BenchmarkX/a\nBenchmarkY-8 5 1 ns/op\n    y_test.go:5: a note\nPASS\n"
	if got := skipped([]byte(raw + raw)); len(got) != 1 || got[0] != "PEER is not set. Build it:\n  make" {
		t.Errorf("%q", got)
	}
	t.Chdir("..")
	if all, err := chosenFigures(nil); err != nil || len(all) < 60 {
		t.Errorf("%d figures, %v", len(all), err)
	}
	if some, err := chosenFigures([]string{"Increment", "LogGOPSim, whole"}); err != nil || len(some) != 7 {
		t.Errorf("%d figures, %v", len(some), err)
	}
	if _, err := chosenFigures([]string{"Increment", "no such"}); err == nil || !strings.Contains(err.Error(), "no such") {
		t.Error(err)
	}
}
