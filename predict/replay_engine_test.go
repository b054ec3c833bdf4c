package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Engines say which one ran, and print the same.
func TestReplayEngines(t *testing.T) {
	prefix := writeMessages(t)
	loggp := writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n[system]")
	logp := writeMachine(t, "p", "[system]", "[network]\nmodel = \"logp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\n[system]")
	fluid := writeMachine(t, "f", "[system]", "[network]\nmodel = \"bus\"\nsharing = \"max-min\"\nL = \"100 ns\"\no = \"10 ns\"\nG = \"2 ns/B\"\n[system]")
	plogp := writeMachine(t, "s", "[system]", "[network]\nmodel = \"plogp\"\nL = \"100 ns\"\no = \"10 ns\"\n[[network.size]]\nbytes = \"1 B\"\ng = \"20 ns\"\n[system]")
	for _, machine := range []string{loggp, plogp, logp, fluid} {
		t.Run(filepath.Base(machine), func(t *testing.T) {
			_, want, _ := predict("replay", prefix, machine)
			_, matrix, _ := predict("replay", prefix, machine, "--matrix")
			for _, c := range []struct {
				args, want, note string
			}{
				{"--engine sequential", want, ""},
				{"--engine quantum --workers 2", want, "engine quantum, workers: 2"},
				{"--engine quantum --workers 2 --quantum 1ns", want, "engine quantum, workers: 2"},
				{"--engine whoa --workers 5", want, "engine whoa, workers: 2"},
				{"--engine whoa --workers 2 --ahead 1", want, "engine whoa, workers: 2"},
				{"--engine whoa --workers 2 --matrix", matrix, "engine whoa, workers: 2"},
			} {
				note := c.note
				if (machine == logp || machine == fluid) && note != "" {
					note = "engine sequential ran instead of"
				}
				status, out, stderr := predict(append([]string{"replay", prefix, machine}, strings.Fields(c.args)...)...)
				if status != 0 || out != c.want || !strings.Contains(stderr, note) {
					t.Errorf("%s %s: status %d, stderr %q, got\n%s\nwant\n%s", machine, c.args, status, stderr, out, c.want)
				}
			}
		})
	}
}

// The two programs have one operation each. The first window ends when the second can act after it has got its
// message, 110 ns after the first has sent it at the earliest: 60 + 110.
func TestReplayEngineStats(t *testing.T) {
	prefix := writeMessages(t)
	machine := writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n[system]")
	const head = "program,machine,processors,engine,workers,ahead,events,windows,events_window_processor,meetings,appointments,messages,between_workers\n"
	for _, c := range []struct{ args, want string }{
		{"--engine whoa --workers 2", "pair,m,2,whoa,2,64,2,1,1,2,1,1,1\n"},
		{"--engine quantum --workers 2", "pair,m,2,quantum,2,0,2,2,0.5,2,0,1,1\n"},
		{"--engine whoa --workers 2 --ahead 99999999999", "pair,m,2,whoa,2,99999999999,2,1,1,2,1,1,1\n"},
		{"", "pair,m,2,sequential,1,0,2,0,0,0,0,1,0\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out, stderr := predict(append([]string{"replay", prefix, machine, "--engine-stats", "--format", "csv"}, strings.Fields(c.args)...)...)
			if status != 0 || out != head+c.want {
				t.Errorf("status %d, stderr %q, got\n%s\nwant\n%s", status, stderr, out, head+c.want)
			}
		})
	}
	for sharing, want := range map[string]string{"exclusive": "all messages share its network in the order of sending",
		"max-min": "messages in flight share its links"} {
		links := writeMachine(t, sharing, "[system]", "[network]\nmodel = \"bus\"\nsharing = \""+sharing+"\"\nL = \"100 ns\"\no = \"10 ns\"\nG = \"2 ns/B\"\n[system]")
		if _, _, stderr := predict("replay", prefix, links, "--engine-stats"); !strings.Contains(stderr, "only engine sequential can run: "+want) {
			t.Errorf("%s: stderr %q, want %q", sharing, stderr, want)
		}
	}
}

func TestReplayEngineErrors(t *testing.T) {
	prefix := writeMessages(t)
	machine := writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n[system]")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"--engine warp", 2, `unknown engine "warp" (known: sequential, quantum, whoa)`},
		{"--engine quantum --quantum 111ns", 1, "the quantum 111ns is 1ns longer than the lookahead, 110ns; use a quantum of at most the lookahead"},
		{"--engine quantum --quantum 1", 2, "--quantum: "},
		{"--engine quantum --quantum 2s", 2, "--quantum 2s is not from 0s to 1s"},
		{"--engine whoa --quantum 1ns", 2, "--quantum needs --engine quantum, not whoa"},
		{"--engine whoa --ahead -1", 2, "--ahead -1 is negative"},
	} {
		t.Run(c.args, func(t *testing.T) {
			if status, _, stderr := predict(append([]string{"replay", prefix, machine}, strings.Fields(c.args)...)...); status != c.status || !strings.Contains(stderr, c.want) {
				t.Errorf("status %d, stderr %q, want %d, %q", status, stderr, c.status, c.want)
			}
		})
	}
}
