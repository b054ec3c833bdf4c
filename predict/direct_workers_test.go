package main

import (
	"strings"
	"testing"

	"spoor/traces/stage"
)

// TestWorkersWithoutEffect: flags that have no effect, as a note says, change no result.
func TestWorkersWithoutEffect(t *testing.T) {
	run := func(flags ...string) (stdout, stderr string) {
		args := []string{"direct", "sor", "--procs", "4", "--set", "g=4", "--set", "iterations=10", "--machine", "../data/machine/loggp-example.toml"}
		status, stdout, stderr := predict(append(args, flags...)...)
		if status != stage.Done {
			t.Fatalf("%v: status %v, %s", flags, status, stderr)
		}
		return stdout, stderr
	}
	want, _ := run()
	for _, flag := range []string{"--workers", "--application-workers"} {
		got, note := run(flag, "3")
		if got != want || !strings.Contains(note, flag+" has no effect with engine sequential") {
			t.Errorf("%s: %s\n%s\nwant %s", flag, note, got, want)
		}
	}
	_, note := run("--engine", "whoa", "--workers", "2", "--application-workers", "1000000")
	if !strings.Contains(note, "workers: 2, and 4 for the application") {
		t.Error(note)
	}
}
