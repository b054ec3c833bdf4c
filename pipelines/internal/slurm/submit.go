package slurm

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// checks is how many jobs look at the end of a round what was lost. The later ones run after the earlier ones, and have something to
// do if those were lost themselves.
const checks = 3

// Submit submits a study as its first round, and prints what will run before.
func (s *Study) Submit(folder string, out io.Writer) error {
	if last, err := Open(folder); err == nil {
		v, err := last.survey()
		if err != nil {
			return err
		}
		if n := len(v.jobs) + v.checks; n > 0 {
			return fmt.Errorf("%d jobs of this study run or wait; follow them with make ENGINE=slurm status, or end them with make ENGINE=slurm cancel", n)
		}
	}
	if len(s.Plan.Steps) == 0 {
		fmt.Fprintln(out, "slurm: all files are up to date: no step has to run")
		return nil
	}
	s.folder = folder
	if err := s.create(); err != nil {
		return err
	}
	all := make([]int, len(s.Plan.Steps))
	for i := range all {
		all[i] = i
	}
	jobs := s.arrays(all, nil, nil)
	s.announce(jobs, out)
	if err := s.submit(&round{number: 1, Jobs: jobs}); err != nil {
		if _, failed := Cancel(folder); failed != nil {
			return fmt.Errorf("%w; jobs that were submitted before may run: %w", err, failed)
		}
		return fmt.Errorf("%w; all jobs that were submitted before are canceled", err)
	}
	fmt.Fprintln(out, "slurm: submitted; `make ENGINE=slurm status` in this folder, with the same variables, shows progress")
	return nil
}

// submit submits a round, of which there must be no file yet.
func (s *Study) submit(r *round) error {
	if err := writeJSON(s.roundFile(r.number, "json"), r); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("another process submits round %d of this study", r.number)
	} else if err != nil {
		return err
	}
	ids, err := os.Create(s.roundFile(r.number, "ids"))
	if err != nil {
		return err
	}
	defer ids.Close()
	for i, j := range r.Jobs {
		j.id, err = s.sbatch(ids, s.jobName(j), s.jobFlags(j), "step", fmt.Sprint(r.number), fmt.Sprint(i))
		if err != nil {
			return err
		}
	}
	after := strings.Join(append([]string{"afterany"}, r.Earlier...), ":")
	for _, j := range r.Jobs {
		after += ":" + j.id
	}
	for range checks {
		id, err := s.sbatch(ids, "spoor:check", []string{"--time=10", "--mem=512M", "--dependency=" + after}, "check", fmt.Sprint(r.number))
		if err != nil {
			return err
		}
		after = "afterany:" + id
	}
	_, err = fmt.Fprintln(ids, "end")
	return err
}

// sbatch submits a job that runs a command of this program, and notes its number.
func (s *Study) sbatch(ids io.Writer, name string, flags []string, command ...string) (id string, err error) {
	words := []string{"exec", quote(s.Program), "slurm", command[0], quote(s.folder)}
	args := []string{"--parsable", "--job-name=" + name, "--ntasks=1", "--requeue", "--kill-on-invalid-dep=yes",
		"--chdir=" + s.Plan.Directory, "--output=" + strings.ReplaceAll(s.path("errors.log"), "%", "%%"), "--open-mode=append"}
	args = append(append(args, flags...), s.Flags...)
	text, err := call("sbatch", append(args, "--wrap="+strings.Join(append(words, command[1:]...), " "))...)
	if err != nil {
		return "", fmt.Errorf("submitting %s: %w", name, err)
	}
	id, _, _ = strings.Cut(strings.TrimSpace(text), ";") // behind it may be the name of a cluster
	_, err = fmt.Fprintln(ids, id)
	return id, err
}

func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// jobName is the step of a job, or the rule of an array's steps.
func (s *Study) jobName(j *job) string {
	name := "spoor:" + strings.TrimSuffix(s.file(j.Steps[0]), ".arrow")
	if j.Array {
		name += "+"
	}
	return name
}

// jobFlags are the limits, the indices and the dependencies of a job.
func (s *Study) jobFlags(j *job) []string {
	flags := []string{fmt.Sprintf("--time=%d", j.Minutes), fmt.Sprintf("--mem=%dM", j.Memory)}
	if j.Array {
		indices := strings.Fields(strings.Trim(fmt.Sprint(j.Indices), "[]"))
		flags = append(flags, "--array="+strings.Join(indices, ","))
	}
	var after []string
	for _, f := range j.Follows {
		switch {
		case j.Array:
			after = append(after, "aftercorr:"+f.id)
		case f.Array:
			after = append(after, fmt.Sprintf("afterok:%s_%d", f.id, j.Indices[0]))
		default:
			after = append(after, "afterok:"+f.id)
		}
	}
	for _, id := range append(needed(j), j.Earlier...) {
		after = append(after, "afterok:"+id)
	}
	if len(after) > 0 {
		flags = append(flags, "--dependency="+strings.Join(after, ","))
	}
	return flags
}

// needed are the jobs that all steps of a job need, in the order of submission. An array stands for all its tasks.
func needed(j *job) []string {
	count := map[*job]int{}
	for _, n := range j.Needs {
		count[n.job]++
	}
	var ids []string
	for _, n := range j.Needs {
		switch of := n.job; {
		case !of.Array:
			ids = append(ids, of.id)
		case count[of] < len(of.Steps):
			ids = append(ids, fmt.Sprintf("%s_%d", of.id, n.index))
		case !slices.Contains(ids, of.id):
			ids = append(ids, of.id)
		}
	}
	return ids
}
