package slurm

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
)

// call runs a command of Slurm and returns what it prints.
func call(name string, args ...string) (string, error) {
	var out, complaints bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	if _, failed := err.(*exec.ExitError); failed {
		return "", fmt.Errorf("%s: %s", name, strings.TrimSpace(complaints.String()))
	} else if err != nil {
		return "", fmt.Errorf("%w; run this where Slurm's commands are installed, or give ENGINE=local", err)
	}
	return out.String(), nil
}

// queue returns the states of the user's jobs that have not ended, by their numbers: PENDING, RUNNING and others.
// Tasks of arrays have a line each.
func queue() (map[string]string, error) {
	text, err := call("squeue", "--me", "--noheader", "--array", "--format=%i|%T")
	if err != nil {
		return nil, err
	}
	states := map[string]string{}
	for line := range strings.Lines(text) {
		if id, state, ok := strings.Cut(strings.TrimSpace(line), "|"); ok {
			states[id] = state
		}
	}
	return states, nil
}
