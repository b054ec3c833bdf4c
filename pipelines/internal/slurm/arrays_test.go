package slurm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/pipelines/internal/plan"
)

// graph makes a study of steps from the steps that each needs, by number. Rules are given as letters.
func graph(rules string, needs ...[]int) *Study {
	s := &Study{Plan: &plan.Plan{Directory: "/study"}, folder: "/study/out/slurm", Tries: 3}
	for i, n := range needs {
		step := plan.Step{Name: fmt.Sprint("out/", i), Rule: rules[i : i+1]}
		for _, other := range n {
			step.Needs = append(step.Needs, s.Plan.Steps[other].Name)
		}
		s.Plan.Steps = append(s.Plan.Steps, step)
	}
	s.index()
	return s
}

// number gives jobs the numbers that Slurm would.
func number(jobs []*job) {
	for i, j := range jobs {
		j.id = strconv.Itoa(100 + i)
	}
}

// flag is the value of a flag.
func flag(flags []string, name string) string {
	for _, f := range flags {
		if value, ok := strings.CutPrefix(f, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

// effective is the definition of what dependencies mean: for each step, the tasks that Slurm waits for.
func effective(t *testing.T, s *Study, jobs []*job) map[int][]string {
	t.Helper()
	tasks := map[string][]string{} // of each job by number
	waits := map[int][]string{}
	for _, j := range jobs {
		flags := s.jobFlags(j)
		for i, step := range j.Steps {
			index := ""
			if j.Array {
				index = strings.Split(flag(flags, "array"), ",")[i]
			}
			for d := range strings.SplitSeq(flag(flags, "dependency"), ",") {
				kind, id, _ := strings.Cut(d, ":")
				of, known := tasks[id]
				switch {
				case d == "":
				case kind == "aftercorr" && slices.Contains(of, id+"_"+index):
					waits[step] = append(waits[step], id+"_"+index)
				case kind == "afterok" && known:
					waits[step] = append(waits[step], of...)
				case kind == "afterok":
					waits[step] = append(waits[step], id)
				default:
					t.Fatalf("step %d depends on %s, which is not submitted before", step, d)
				}
			}
		}
		for i := range j.Steps {
			tasks[j.id] = append(tasks[j.id], j.reference(i))
		}
	}
	return waits
}

// Each step waits for exactly those that it needs, in random graphs.
func TestDependenciesAreExact(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		var rules strings.Builder
		var needs [][]int
		for i := range 1 + random.IntN(40) {
			rules.WriteByte('a' + byte(random.IntN(3)))
			var n []int
			for range random.IntN(4) {
				if other := random.IntN(i + 1); other < i && !slices.Contains(n, other) {
					n = append(n, other)
				}
			}
			needs = append(needs, n)
		}
		s := graph(rules.String(), needs...)
		// Some steps have run, and some still do.
		earlier, steps := map[int]string{}, []int{}
		for i := range needs {
			switch r := random.IntN(10); {
			case r > 1 || i == len(needs)-1:
				steps = append(steps, i)
			case r == 1:
				earlier[i] = fmt.Sprintf("7_%d", i)
			}
		}
		jobs := s.arrays(steps, nil, earlier)
		number(jobs)
		exact(t, s, jobs, steps, earlier)
	}
}

// exact compares the dependencies of jobs with the needs of steps.
func exact(t *testing.T, s *Study, jobs []*job, steps []int, earlier map[int]string) {
	t.Helper()
	task := map[int]string{}
	for _, j := range jobs {
		for i, step := range j.Steps {
			task[step] = j.reference(i)
		}
	}
	if len(task) != len(steps) {
		t.Fatalf("%d steps are submitted, want %d", len(task), len(steps))
	}
	waits := effective(t, s, jobs)
	for _, step := range steps {
		var want []string
		for _, name := range s.Plan.Steps[step].Needs {
			if id := task[s.number[name]] + earlier[s.number[name]]; id != "" {
				want = append(want, id)
			}
		}
		got := waits[step]
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("step %d waits for %v, want %v", step, got, want)
		}
	}
}

// Alike steps are arrays.
func TestArrays(t *testing.T) {
	for _, row := range []struct {
		name  string
		study *Study
		want  string // the flags of each job
	}{
		{"traces, an analysis of each, and a report", graph("ttaar", nil, nil, []int{0}, []int{1}, []int{2, 3}),
			"array=0,1 after=|array=0,1 after=aftercorr:100|array= after=afterok:101"},
		{"traces, two parts of each, and merges", graph("ttssssmm", nil, nil, []int{0}, []int{0}, []int{1}, []int{1}, []int{2, 3}, []int{4, 5}),
			"array=0,1 after=|array=0,1 after=afterok:100_0|array=0,1 after=afterok:100_1|array= after=afterok:101|array= after=afterok:102"},
		{"three traces, two parts of each, and merges", graph("tttssssssmmm", nil, nil, nil, []int{0}, []int{0}, []int{1}, []int{1}, []int{2}, []int{2}, []int{3, 4}, []int{5, 6}, []int{7, 8}),
			"array=0,1,2 after=|array=0,1,2 after=aftercorr:100|array=0,1,2 after=aftercorr:100|array=0,1,2 after=aftercorr:101,aftercorr:102"},
		{"several programs need one build", graph("bpp", nil, []int{0}, []int{0}),
			"array= after=|array=0,1 after=afterok:100"},
	} {
		steps := make([]int, len(row.study.Plan.Steps))
		for i := range steps {
			steps[i] = i
		}
		jobs := row.study.arrays(steps, nil, nil)
		number(jobs)
		var got []string
		for _, j := range jobs {
			flags := row.study.jobFlags(j)
			got = append(got, fmt.Sprintf("array=%s after=%s", flag(flags, "array"), flag(flags, "dependency")))
		}
		if text := strings.Join(got, "|"); text != row.want {
			t.Errorf("%s:\ngot  %s\nwant %s", row.name, text, row.want)
		}
	}
}

// Slurm refuses arrays with an index above MaxArraySize.
func TestLargeArrays(t *testing.T) {
	n := 2*largestArray + 1
	s := graph(strings.Repeat("t", n), make([][]int, n)...)
	steps := make([]int, n)
	for i := range steps {
		steps[i] = i
	}
	for i, j := range s.arrays(steps, nil, nil) {
		if want := []int{largestArray, largestArray, 1}[i]; len(j.Steps) != want || slices.Max(j.Indices) >= largestArray {
			t.Errorf("job %d has %d steps up to index %d, want %d", i, len(j.Steps), slices.Max(j.Indices), want)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, row := range []struct {
		seconds      float64
		memory       int64
		lost         int
		minutes, mib int
	}{
		{1, 1 << 20, 0, 10, 512},
		{61, 1 << 20, 0, 20, 512},       // 10 times 61 s are more than 10 min
		{1, 300 << 20, 0, 10, 1024},     // twice 300 MiB are more than 512
		{1, 1 << 20, 2, 40, 2048},       // doubled twice
		{3600, 4 << 30, 1, 1280, 16384}, // 640 min and 8 GiB, doubled
	} {
		minutes, mib := limits(plan.Step{Seconds: row.seconds, Memory: row.memory}, row.lost)
		if minutes != row.minutes || mib != row.mib {
			t.Errorf("%+v: got %d min, %d MiB", row, minutes, mib)
		}
	}
}
