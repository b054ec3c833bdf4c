package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A round is what is submitted at once.
type round struct {
	Jobs []*job      `json:"jobs"` // in an order in which they can be submitted
	Lost map[int]int `json:"lost"` // how often each step was lost in the rounds before

	Earlier []string `json:"earlier,omitempty"` // numbers of jobs of earlier rounds that still run or wait

	number   int
	ids      []string // of the jobs that were submitted, in order, then of the checks
	complete bool     // whether all were
}

// A job is a job of Slurm: a step, or an array of alike steps.
type job struct {
	Steps   []int    `json:"steps"`
	Indices []int    `json:"indices"` // in the array, of each step
	Array   bool     `json:"array"`
	Follows []*job   `json:"-"` // arrays whose task with the same index each task needs
	Needs   []need   `json:"-"` // what all steps need of this round
	Earlier []string `json:"-"` // numbers of jobs of earlier rounds that all steps need
	Minutes int      `json:"minutes"`
	Memory  int      `json:"memory_mib"`
	id      string
}

// A need is a task of a job.
type need struct {
	job   *job
	index int
}

// reference is the number of a step's job, as Slurm has it in dependencies and lists.
func (j *job) reference(i int) string {
	if !j.Array {
		return j.id
	}
	return fmt.Sprintf("%s_%d", j.id, j.Indices[i])
}

func (s *Study) roundFile(n int, kind string) string {
	return s.path(fmt.Sprintf("round-%d.%s", n, kind))
}

// rounds reads all rounds.
func (s *Study) rounds() ([]*round, error) {
	var all []*round
	for n := 1; ; n++ {
		r := &round{number: n}
		if err := readJSON(s.roundFile(n, "json"), r); errors.Is(err, fs.ErrNotExist) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(s.roundFile(n, "ids"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			id, whole := strings.CutSuffix(line, "\n")
			switch {
			case id == "end":
				r.complete = true
			case whole:
				r.ids = append(r.ids, id)
			}
		}
		for i, j := range r.Jobs {
			if i < len(r.ids) {
				j.id = r.ids[i]
			}
		}
		all = append(all, r)
	}
}
