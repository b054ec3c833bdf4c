package main

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"
)

// --ideal adds the time on a PRAM. The time of the machine is that, and what the machine adds: latency, contention and more
// waiting for others.
func TestReplayIdeal(t *testing.T) {
	status, out, stderr := predict("replay", writeTrace(t, "pair", 2, nil), "--machine", "../data/machine/spasm-mesh.toml", "--machine", "../data/machine/spasm-pram.toml", "--ideal", "--format", "csv")
	if status != 0 {
		t.Fatal(stderr)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatal(err, out)
	}
	value := func(row []string, name string) float64 {
		for i, head := range rows[0] {
			if head == name {
				v, err := strconv.ParseFloat(row[i], 64)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
		}
		t.Fatalf("no column %s", name)
		return 0
	}
	for _, row := range rows[1:] {
		sum := value(row, "ideal_time") + value(row, "memory_latency") + value(row, "memory_contention") + value(row, "machine_wait")
		if time := value(row, "time"); math.Abs(sum-time) > 1e-12 {
			t.Errorf("%s: the parts are %v, the time %v", row[2], sum, time)
		}
	}
	if mesh, pram := rows[1], rows[2]; value(mesh, "ideal_time") != value(pram, "time") || value(pram, "machine_wait") != 0 ||
		!(value(mesh, "time") > value(mesh, "ideal_time")) {
		t.Errorf("ideal times\n%s", out)
	}
}

func TestReplayIdealErrors(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{writeMessages(t), "--machine", "../data/machine/loggp-example.toml", "--ideal"}, 1, "passes messages, which a PRAM does not have"},
		{[]string{writeTrace(t, "pair", 2, nil), "--machine", "../data/machine/spasm-mesh.toml", "--ideal", "--phases"}, 2, "--ideal adds columns"},
	} {
		if status, _, stderr := predict(append([]string{"replay"}, c.args...)...); status != c.status || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, stderr %q, want %d, %q", c.args, status, stderr, c.status, c.want)
		}
	}
}
