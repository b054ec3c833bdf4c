package slurm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"spoor/pipelines/internal/plan"
)

// announce prints what a submission will run.
func (s *Study) announce(jobs []*job, out io.Writer) {
	type kind struct{ steps, minutes, mib int }
	kinds := map[string]*kind{}
	var names []string
	seconds := 0.0
	for _, j := range jobs {
		for _, step := range j.Steps {
			name := program(s.Plan.Steps[step])
			k := kinds[name]
			if k == nil {
				k = new(kind)
				kinds[name], names = k, append(names, name)
			}
			k.steps++
			k.minutes, k.mib = max(k.minutes, j.Minutes), max(k.mib, j.Memory)
			seconds += s.Plan.Steps[step].Seconds
		}
	}
	fmt.Fprintf(out, "slurm: %d steps in %d jobs and %d checks, expected to take %.1f processor minutes in all:\n", len(s.Plan.Steps), len(jobs), checks, seconds/60)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  command\tsteps\ttime limit [min]\tmemory [MiB]")
	for _, name := range names {
		k := kinds[name]
		fmt.Fprintf(w, "  %s\t%d\t%d\t%d\n", name, k.steps, k.minutes, k.mib)
	}
	w.Flush()
}

// program is the program of a step's command, with the subcommand if there is one.
func program(s plan.Step) string {
	words := strings.Fields(strings.TrimLeft(s.Command, "({ \n"))
	switch {
	case len(words) == 0:
		return s.Name
	case len(words) > 1 && slices.Contains([]string{"predict", "traces", "calibrate"}, words[0]) && words[1][0] != '-':
		return words[0] + " " + words[1]
	case len(words) > 1 && words[0] == "analyze" && words[1] == "merge":
		return "analyze merge"
	}
	return words[0]
}

// ErrFailed says that steps failed or were given up. Status has printed which.
var ErrFailed = errors.New("steps failed")

// Status prints how many steps are in each state, and what is known of those that did not end well.
func Status(folder string, out io.Writer) error {
	s, err := Open(folder)
	if err != nil {
		return err
	}
	v, err := s.survey()
	if err != nil {
		return err
	}
	count := map[State]int{}
	for _, state := range v.states {
		count[state]++
	}
	fmt.Fprintf(out, "slurm: %d steps; rounds of jobs: %d\n", len(s.Plan.Steps), len(v.rounds))
	for state := Done; state <= Stopped; state++ {
		if count[state] > 0 || state <= Waiting {
			fmt.Fprintf(out, "  %-9s%5d\n", state, count[state])
		}
	}
	for step, state := range v.states {
		switch state {
		case Failed:
			status, _ := s.exitStatus(step)
			fmt.Fprintf(out, "%s failed with status %d:\n%s", s.Plan.Steps[step].Name, status, s.tail(step))
		case GivenUp:
			fmt.Fprintf(out, "%s was lost %d times and is not submitted again; see %s\n", s.Plan.Steps[step].Name, v.lost[step], s.path("errors.log"))
		}
	}
	s.advise(v, count, out)
	if count[Failed]+count[GivenUp] > 0 {
		return ErrFailed
	}
	return nil
}

// advise prints what comes next.
func (s *Study) advise(v *survey, count map[State]int, out io.Writer) {
	again := len(s.missing(v))
	switch {
	case count[Done] == len(v.states):
		fmt.Fprintf(out, "slurm: all steps are done; what they printed is in %s\n", s.path("log"))
	case again > 0 && v.checks > 0:
		fmt.Fprintf(out, "slurm: %d steps are submitted again when the round ends\n", again)
	case again > 0 || len(v.jobs) > 0 && v.checks == 0:
		fmt.Fprintf(out, "slurm: no job is left that submits lost steps again; when no job runs, run make ENGINE=slurm again, which submits what is missing (%s may say why)\n", s.path("errors.log"))
	case len(v.jobs) == 0 && count[Failed]+count[GivenUp] > 0:
		fmt.Fprintln(out, "slurm: when the cause is removed, run make ENGINE=slurm again, which submits what is missing")
	}
}

// tail returns the last lines that a step printed.
func (s *Study) tail(step int) []byte {
	text, err := os.ReadFile(s.logFile(step))
	if err != nil {
		return []byte("  it printed nothing\n")
	}
	lines := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	lines = lines[max(0, len(lines)-5):]
	name, err := filepath.Rel(s.Plan.Directory, s.logFile(step))
	if err != nil {
		name = s.logFile(step)
	}
	return fmt.Appendf(nil, "  %s\n  (%s)\n", bytes.Join(lines, []byte("\n  ")), name)
}
