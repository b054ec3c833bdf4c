package slurm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// killed are the exit statuses of a shell whose command was ended by HUP, INT, KILL or TERM.
var killed = map[int]bool{129: true, 130: true, 137: true, 143: true}

// notice is how long after the end of a command a signal to end the job may arrive that also ended the command.
const notice = time.Second

// RunStep runs a step of a job of Slurm: in an array, that of SLURM_ARRAY_TASK_ID. The step's exit status is noted if it ended by itself,
// and not if it was killed: then it is lost.
func RunStep(folder string, round, number int) error {
	s, err := Open(folder)
	if err != nil {
		return err
	}
	step, err := s.stepOf(round, number, os.Getenv("SLURM_ARRAY_TASK_ID"))
	if err != nil {
		return err
	}
	// Slurm itself starts a job again whose node failed, without a bound.
	if n, err := strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")); err == nil && n >= s.Tries {
		return fmt.Errorf("%s: not run, because Slurm has started its job again %d times", s.Plan.Steps[step].Name, n)
	}
	if err := s.ready(step); err != nil {
		return err
	}
	status, err := s.run(step)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Plan.Steps[step].Name, err)
	}
	if err := s.note(step, status); err != nil {
		return err
	}
	if status != 0 {
		return fmt.Errorf("%s: ended with status %d; see %s", s.Plan.Steps[step].Name, status, s.logFile(step))
	}
	return nil
}

// stepOf is the step of a job, and of an index in it if the job is an array.
func (s *Study) stepOf(n, number int, index string) (int, error) {
	r := &round{}
	if err := readJSON(s.roundFile(n, "json"), r); err != nil {
		return 0, err
	}
	if number >= len(r.Jobs) {
		return 0, fmt.Errorf("round %d has no job %d", n, number)
	}
	j := r.Jobs[number]
	for i, step := range j.Steps {
		if !j.Array || strconv.Itoa(j.Indices[i]) == index {
			return step, nil
		}
	}
	return 0, fmt.Errorf("job %d of round %d has no task %q", number, n, index)
}

// patience is how long a step waits for the statuses of those that it needs, which another node may see late.
const patience = 5 * time.Second

// ready waits until all steps that a step needs have ended well. Slurm alone does not see to that: if a task of an array is canceled
// before it is started, Slurm forgets it and starts what depends on it.
func (s *Study) ready(step int) error {
	for _, name := range s.Plan.Steps[step].Needs {
		for begin := time.Now(); ; time.Sleep(patience / 10) {
			if status, ended := s.exitStatus(s.number[name]); ended && status == 0 {
				break
			}
			if time.Since(begin) > patience {
				return fmt.Errorf("%s: not run, because %s has not ended well", s.Plan.Steps[step].Name, name)
			}
		}
	}
	return nil
}

// run runs the command of a step, and returns its exit status, or an error if it was killed.
func (s *Study) run(step int) (status int, err error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)
	held, err := s.hold(step)
	if err != nil {
		return 0, err
	}
	defer held.Close()
	name := s.logFile(step)
	log, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer func() {
		if info, statErr := log.Stat(); statErr == nil && info.Size() == 0 {
			os.Remove(name)
		}
		log.Close()
	}()
	cmd := exec.Command("sh", "-c", s.Plan.Steps[step].Command)
	cmd.Dir = s.Plan.Directory
	cmd.Env = os.Environ()
	for name, value := range s.Plan.Environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, []*os.File{held}
	err = cmd.Run()
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return 0, err
	}
	if status = exit.ExitCode(); status < 0 || killed[status] {
		return 0, fmt.Errorf("killed: %w", err)
	}
	select { // a command that is told to end may do so with a status of its own
	case got := <-signals:
		return 0, fmt.Errorf("killed: %v", got)
	case <-time.After(notice):
		return status, nil
	}
}

// hold waits until the processes of an earlier run of a step have ended, which outlive a job whose first process was killed: two of them
// would write the same files. The processes of this run inherit the file, and hold it as long as one of them runs.
func (s *Study) hold(step int) (*os.File, error) {
	f, err := os.OpenFile(s.ended(step)+".lock", os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("waiting for an earlier run: %w", err)
	}
	return f, nil
}

// note writes the exit status of a step.
func (s *Study) note(step, status int) error {
	aside := fmt.Sprintf("%s.%d.new", s.ended(step), os.Getpid())
	if err := os.WriteFile(aside, fmt.Appendln(nil, status), 0o666); err != nil {
		return err
	}
	return os.Rename(aside, filepath.Clean(s.ended(step)))
}
