package slurm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// commands are a Slurm of shell scripts: sbatch gives numbers, and squeue prints the file queue.
var commands = map[string]string{
	"sbatch":  `n=$(cat "$SLURM/number"); echo $((n + 1)) >"$SLURM/number"; echo "$n $*" >>"$SLURM/submitted"; echo $n`,
	"squeue":  `cat "$SLURM/queue"`,
	"scancel": `echo "$*" >>"$SLURM/canceled"`,
}

// fake puts the scripts before all other commands, and returns their folder.
func fake(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake Slurm is shell scripts")
	}
	dir := t.TempDir()
	for name, text := range commands {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "number"), "100")
	write(t, filepath.Join(dir, "queue"), "")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("SLURM", dir)
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// submitted is a study of two traces, an analysis of each, and a report, after its submission as the jobs 100 (traces), 101
// (analyses), 102 and the checks 103 to 105.
func submitted(t *testing.T) (s *Study, folder string) {
	t.Helper()
	s = graph("ttaar", nil, nil, []int{0}, []int{1}, []int{2, 3})
	s.Plan.Directory = t.TempDir()
	folder = filepath.Join(s.Plan.Directory, "out/slurm")
	s.Program, s.Flags = "/bin/it's", []string{"--partition=short"}
	var out strings.Builder
	if err := s.Submit(folder, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "slurm: 5 steps in 3 jobs and 3 checks") {
		t.Errorf("the submission prints:\n%s", &out)
	}
	return s, folder
}

func states(t *testing.T, folder string) string {
	t.Helper()
	s, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.survey()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(fmt.Sprint(v.states), "[]")
}

func TestSubmit(t *testing.T) {
	dir := fake(t)
	s, folder := submitted(t)
	text := read(t, filepath.Join(dir, "submitted"))
	for _, want := range []string{
		"100 --parsable --job-name=spoor:0+ --ntasks=1 --requeue --kill-on-invalid-dep=yes --chdir=" + s.Plan.Directory,
		"--array=0,1 --partition=short --wrap=exec '/bin/it'\\''s' slurm step '" + folder + "' 1 0\n",
		"--array=0,1 --dependency=aftercorr:100 ",
		"--dependency=afterok:101 ",
		"--dependency=afterany:100:101:102 ",
		"--dependency=afterany:103 ", "--dependency=afterany:104 ",
		"' 1 2\n", "slurm check '" + folder + "' 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not submitted:\n%s", want, text)
		}
	}
	write(t, filepath.Join(dir, "queue"), "104|PENDING\n")
	if err := s.Submit(folder, new(strings.Builder)); err == nil || !strings.Contains(err.Error(), "1 jobs of this study run or wait") {
		t.Errorf("a study that waits is submitted again: %v", err)
	}
}

func TestSbatchFails(t *testing.T) {
	dir := fake(t)
	write(t, filepath.Join(dir, "sbatch"), "#!/bin/sh\ncase $* in *dependency*) echo 'sbatch: error: invalid partition' >&2; exit 1 ;; esac\necho 100\n")
	write(t, filepath.Join(dir, "queue"), "100|PENDING\n")
	s := graph("ta", nil, []int{0})
	s.Plan.Directory = t.TempDir()
	err := s.Submit(filepath.Join(s.Plan.Directory, "slurm"), new(strings.Builder))
	if err == nil || !strings.Contains(err.Error(), "submitting spoor:") || !strings.Contains(err.Error(), "invalid partition") {
		t.Errorf("got %v", err)
	}
	if got := read(t, filepath.Join(dir, "canceled")); got != "--quiet 100\n" {
		t.Errorf("half a graph is left: scancel %q", got)
	}
}

// Steps are followed from the queue and from what has ended.
func TestStates(t *testing.T) {
	dir := fake(t)
	s, folder := submitted(t)
	queue := filepath.Join(dir, "queue")
	for _, row := range []struct {
		queue string
		ended map[int]string
		want  string
	}{
		{"100_0|PENDING\n100_1|RUNNING\n101_0|PENDING\n101_1|PENDING\n102|PENDING\n", nil, "waiting running waiting waiting waiting"},
		{"100_1|COMPLETING\n101_0|RUNNING\n101_1|PENDING\n102|PENDING\n", map[int]string{0: "0"}, "done running running waiting waiting"},
		{"102|PENDING\n", map[int]string{0: "0", 1: "0", 2: "0"}, "done done done lost waiting"},
		{"", map[int]string{0: "0", 1: "0", 2: "0"}, "done done done lost stopped"},
		{"", map[int]string{0: "0", 1: "2"}, "done failed lost stopped stopped"},
		{"", map[int]string{0: "0", 1: "0", 2: "0", 3: "0", 4: "0"}, "done done done done done"},
	} {
		write(t, queue, row.queue)
		for step, status := range row.ended {
			write(t, s.ended(step), status+"\n")
		}
		if got := states(t, folder); got != row.want {
			t.Errorf("queue %q, ended %v: got %s, want %s", row.queue, row.ended, got, row.want)
		}
		for step := range row.ended {
			os.Remove(s.ended(step))
		}
	}
}

// What was lost is submitted again with what needs it, at most as often as there are tries, and by one of the checks.
func TestCheck(t *testing.T) {
	dir := fake(t)
	s, folder := submitted(t)
	for _, step := range []int{0, 1, 2} {
		write(t, s.ended(step), "0\n")
	}
	check := func(round int) string {
		t.Helper()
		os.Remove(filepath.Join(dir, "submitted"))
		if err := Check(folder, round); err != nil {
			t.Fatal(err)
		}
		return read(t, filepath.Join(dir, "submitted"))
	}
	again := check(1)
	for _, want := range []string{"106 --parsable --job-name=spoor:3 ", "--time=20 --mem=1024M --part", "107 --parsable --job-name=spoor:4 ", "--dependency=afterok:106 ", "--dependency=afterany:106:107 "} {
		if !strings.Contains(again, want) {
			t.Errorf("%q is not submitted again:\n%s", want, again)
		}
	}
	if more := check(1); more != "" {
		t.Errorf("the second check of a round submits again:\n%s", more)
	}
	if more := check(2); !strings.Contains(more, "--time=40 ") {
		t.Errorf("a step that was lost twice is not submitted again with more time:\n%s", more)
	}
	if more := check(3); more != "" { // Tries is 3
		t.Errorf("a step that was lost three times is submitted again:\n%s", more)
	}
	var out strings.Builder
	if err := Status(folder, &out); err != ErrFailed || !strings.Contains(out.String(), "out/3 was lost 3 times and is not submitted again") {
		t.Errorf("the status is %v:\n%s", err, &out)
	}
}

// A check that was killed as it submitted is completed by the next one, without a second job for a step.
func TestCheckOfHalfARound(t *testing.T) {
	dir := fake(t)
	s, folder := submitted(t)
	for _, step := range []int{0, 1, 2} {
		write(t, s.ended(step), "0\n")
	}
	if err := Check(folder, 1); err != nil {
		t.Fatal(err)
	}
	write(t, s.roundFile(2, "ids"), "106\n") // of its jobs 106 and 107
	write(t, filepath.Join(dir, "queue"), "106|RUNNING\n")
	os.Remove(filepath.Join(dir, "submitted"))
	if err := Check(folder, 1); err != nil {
		t.Fatal(err)
	}
	got := read(t, filepath.Join(dir, "submitted"))
	if strings.Contains(got, "spoor:3 ") || !strings.Contains(got, "spoor:4 ") || !strings.Contains(got, "--dependency=afterok:106 ") || !strings.Contains(got, "--dependency=afterany:106:111 ") {
		t.Errorf("the rest of the round is submitted as\n%s", got)
	}
}

func TestCancel(t *testing.T) {
	dir := fake(t)
	_, folder := submitted(t)
	write(t, filepath.Join(dir, "queue"), "101_0|RUNNING\n102|PENDING\n103|PENDING\n")
	n, err := Cancel(folder)
	if got, want := read(t, filepath.Join(dir, "canceled")), "--quiet 103 104 105 100 101 102\n"; err != nil || n != 2 || got != want {
		t.Errorf("canceled %d, %v: scancel %q, want %q", n, err, got, want)
	}
}

// A step notes its exit status if it ended by itself. Killed ones are lost.
func TestRunStep(t *testing.T) {
	fake(t)
	for _, row := range []struct{ command, ended, log string }{
		{"echo $SIZE >made; true", "0\n", ""},
		{"echo wrong >&2; exit 3", "3\n", "wrong\n"},
		{"kill -KILL $$", "", ""},
		{"sh -c 'kill -TERM $$'", "", ""},    // its shell has status 143
		{"kill -TERM $PPID; exit 1", "", ""}, // told to end, it does so with a status of its own
	} {
		s := graph("t", nil)
		s.Plan.Directory = t.TempDir()
		s.Plan.Steps[0].Command, s.Plan.Environment = row.command, map[string]string{"SIZE": "large"}
		folder := filepath.Join(s.Plan.Directory, "slurm")
		if err := s.Submit(folder, new(strings.Builder)); err != nil {
			t.Fatal(err)
		}
		if err := RunStep(folder, 1, 0); (err == nil) != (row.ended == "0\n") {
			t.Errorf("%s: %v", row.command, err)
		}
		if got := read(t, s.ended(0)); got != row.ended {
			t.Errorf("%s: ended with %q, want %q", row.command, got, row.ended)
		}
		if got := read(t, s.logFile(0)); row.ended != "" && got != row.log {
			t.Errorf("%s: the log is %q, want %q", row.command, got, row.log)
		}
		if row.ended == "0\n" && read(t, filepath.Join(s.Plan.Directory, "made")) != "large\n" {
			t.Errorf("%s: the environment of the plan is not that of the step", row.command)
		}
	}
}

// A step does not run without what it needs, even if Slurm starts it.
func TestRunStepNotReady(t *testing.T) {
	fake(t)
	s, folder := submitted(t)
	write(t, s.ended(1), "0\n")
	t.Setenv("SLURM_ARRAY_TASK_ID", "0")
	if err := RunStep(folder, 1, 1); err == nil || !strings.Contains(err.Error(), "not run, because out/0 has not ended well") || read(t, s.ended(2)) != "" {
		t.Errorf("a step ran without what it needs: %v", err)
	}
	t.Setenv("SLURM_RESTART_COUNT", "3") // Tries is 3
	if err := RunStep(folder, 1, 0); err == nil || !strings.Contains(err.Error(), "Slurm has started its job again 3 times") {
		t.Errorf("a job is started again without bound: %v", err)
	}
}
