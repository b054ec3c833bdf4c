package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/stage"
)

// TestDirectGivesTheStudysTimes: PGL asks for the time, so its rows in the study of LAPSE are those of predict direct, to the digit.
func TestDirectGivesTheStudysTimes(t *testing.T) {
	expected, err := os.ReadFile("../pipelines/dickens1996/expected.tsv")
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for row := range strings.Lines(string(expected)) {
		cells := strings.Split(row, "\t")
		settings, isPGL := strings.CutPrefix(cells[0], "pgl ")
		if !isPGL || testing.Short() && cells[2] != "2" {
			continue
		}
		if _, err := strconv.ParseFloat(cells[3], 64); err != nil {
			continue // a row of windows
		}
		args := []string{"--quiet", "direct", "pgl", "--procs", cells[2], "--references=false", "--machine", "../data/machine/" + cells[1] + ".toml", "--format", "csv"}
		for _, s := range strings.Fields(settings) {
			args = append(args, "--set", s)
		}
		status, out, errs := predict(args...)
		if status != stage.Done {
			t.Fatal(errs)
		}
		table, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range table[0] {
			if time, _ := strconv.ParseFloat(table[1][i], 64); name == "time" && fmt.Sprintf("%.6g", time) != cells[3] {
				t.Errorf("%v takes %v s, and the study says %s", args, time, cells[3])
			}
		}
		tested++
	}
	if tested == 0 {
		t.Error("the study has no PGL")
	}
}
