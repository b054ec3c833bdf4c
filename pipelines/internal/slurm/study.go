// Package slurm runs the plan of a study on a Slurm cluster.
//
// It submits the whole graph at once, as a round of jobs. Steps that are alike form job arrays, and dependencies have Slurm start a
// job when the steps that it needs have ended well. The last jobs of a round, its checks, submit a further round of what was lost.
// All that is known is in files of one folder, so no process waits:
//
//	study.json     the plan and how to submit it
//	round-N.json   the jobs of a round
//	round-N.ids    their numbers, a line for each job as it is submitted, and a last line "end"
//	ended/STEP     the exit status of a step that has ended by itself
//	log/STEP.log   what a step printed, if it did
//	errors.log     what went wrong in jobs outside of steps
package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"spoor/pipelines/internal/plan"
)

// A Study is a plan and how to submit it.
type Study struct {
	Plan    *plan.Plan `json:"plan"`
	Program string     `json:"program"` // of the jobs: this one
	Flags   []string   `json:"flags"`   // of sbatch, given by the user
	Tries   int        `json:"tries"`   // how often a step may be lost before it is given up

	folder string
	number map[string]int // of steps by name
}

// Open reads the study of a folder.
func Open(folder string) (*Study, error) {
	s := &Study{folder: folder}
	if err := readJSON(s.path("study.json"), s); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no study in %s; submit it with make ENGINE=slurm", folder)
	} else if err != nil {
		return nil, err
	}
	s.index()
	return s, nil
}

func (s *Study) index() {
	s.number = map[string]int{}
	for i, step := range s.Plan.Steps {
		s.number[step.Name] = i
	}
}

func (s *Study) path(name string) string { return filepath.Join(s.folder, name) }

// file is the name of a step as the name of a file.
func (s *Study) file(step int) string {
	out := filepath.Dir(s.folder)
	name := s.Plan.Steps[step].Name
	if rel, err := filepath.Rel(out, filepath.Join(s.Plan.Directory, name)); err == nil && !strings.HasPrefix(rel, "..") {
		name = rel
	}
	return strings.ReplaceAll(name, "/", ".")
}

func (s *Study) ended(step int) string   { return s.path("ended/" + s.file(step)) }
func (s *Study) logFile(step int) string { return s.path("log/" + s.file(step) + ".log") }

// create writes a new study in the place of the last one. Its first round has yet to be submitted.
func (s *Study) create() error {
	s.index()
	names := map[string]string{}
	for i, step := range s.Plan.Steps {
		if other := names[s.file(i)]; other != "" {
			return fmt.Errorf("%s and %s have the same name for files, %s; rename one of them", other, step.Name, s.file(i))
		}
		names[s.file(i)] = step.Name
	}
	if err := os.RemoveAll(s.folder); err != nil {
		return err
	}
	for _, f := range []string{"ended", "log"} {
		if err := os.MkdirAll(s.path(f), 0o777); err != nil {
			return err
		}
	}
	return writeJSON(s.path("study.json"), s)
}

// exitStatus returns the status of a step that has ended by itself.
func (s *Study) exitStatus(step int) (status int, ended bool) {
	text, err := os.ReadFile(s.ended(step))
	if err != nil {
		return 0, false
	}
	status, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return status, err == nil
}

func readJSON(name string, to any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}

// writeJSON creates a file, which must not exist: who creates the file of a round submits it. It appears whole.
func writeJSON(name string, from any) error {
	text, err := json.MarshalIndent(from, "", " ")
	if err != nil {
		return err
	}
	aside := fmt.Sprintf("%s.%d.new", name, os.Getpid())
	defer os.Remove(aside)
	if err := os.WriteFile(aside, append(text, '\n'), 0o666); err != nil {
		return err
	}
	return os.Link(aside, name)
}
