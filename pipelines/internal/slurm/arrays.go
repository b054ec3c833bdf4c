package slurm

import (
	"fmt"
	"slices"

	"spoor/pipelines/internal/plan"
)

// largestArray is the number of tasks that an array of Slurm has at most by default (MaxArraySize 1001).
const largestArray = 1000

// Limits are several times what a step is expected to take, and double each time that it is lost: a step may have been lost to its limit.
const (
	leastMinutes = 10
	leastMiB     = 512
	timeMargin   = 10
	memoryMargin = 2
)

// limits returns the time and memory to ask Slurm for. They are rounded up to powers of two times the least, so that more steps are alike.
func limits(s plan.Step, lost int) (minutes, mib int) {
	minutes, mib = leastMinutes, leastMiB
	for float64(minutes) < timeMargin*s.Seconds/60 {
		minutes *= 2
	}
	for int64(mib)<<20 < memoryMargin*s.Memory {
		mib *= 2
	}
	return minutes << lost, mib << lost
}

// arrays groups steps into jobs without a dependency that a step does not have:
//
//	steps that need none of the others are an array;
//	so are steps that need the tasks of the same index of the same arrays (aftercorr of sbatch);
//	so are steps that need the same others (afterok).
//
// If both of the last two hold, the one with fewer arrays is taken. Steps of an array have the same rule and limits. earlier has the
// numbers of jobs that run already.
func (s *Study) arrays(steps []int, lost map[int]int, earlier map[int]string) []*job {
	g := grouping{study: s, lost: lost, earlier: earlier, of: map[int]*job{}, at: map[int]int{}, byKey: map[string][]*job{}, number: map[*job]int{},
		siblings: map[string]int{}, families: map[string]int{}}
	for _, step := range steps {
		g.of[step] = nil
	}
	for _, step := range steps {
		like, family := g.family(step)
		if g.siblings[family]++; g.siblings[family] == 1 {
			g.families[like]++
		}
	}
	for _, step := range steps {
		g.add(step)
	}
	for _, j := range g.jobs {
		j.Array = len(j.Steps) > 1
	}
	return g.jobs
}

type grouping struct {
	study    *Study
	lost     map[int]int
	earlier  map[int]string
	of       map[int]*job // of each step, nil as long as it has none
	at       map[int]int  // the index of each step
	byKey    map[string][]*job
	number   map[*job]int
	jobs     []*job
	siblings map[string]int // alike steps that need the same others
	families map[string]int // how many of these there are of alike steps
}

// needs are the steps of this round that a step needs, and the jobs of earlier ones.
func (g *grouping) needs(step int) (here []int, earlier []string) {
	for _, name := range g.study.Plan.Steps[step].Needs {
		other := g.study.number[name]
		if _, found := g.of[other]; found {
			here = append(here, other)
		} else if id := g.earlier[other]; id != "" {
			earlier = append(earlier, id)
		}
	}
	return here, earlier
}

// family names the steps that a step is alike to, and those of them that need the same others.
func (g *grouping) family(step int) (like, family string) {
	s := g.study.Plan.Steps[step]
	minutes, mib := limits(s, g.lost[step])
	here, earlier := g.needs(step)
	like = fmt.Sprint(s.Rule, minutes, mib, earlier)
	return like, fmt.Sprint(like, here)
}

// add puts a step into a job, after the steps that it needs.
func (g *grouping) add(step int) {
	like, family := g.family(step)
	here, earlier := g.needs(step)
	var tasks []need
	for _, other := range here {
		tasks = append(tasks, need{g.of[other], g.at[other]})
	}
	fresh := &job{Earlier: earlier}
	fresh.Minutes, fresh.Memory = limits(g.study.Plan.Steps[step], g.lost[step])
	follows, index := same(tasks)
	if n := g.siblings[family]; follows == nil || n > 1 && g.families[like] <= n {
		fresh.Needs = tasks
		g.put(step, -1, family, fresh)
		return
	}
	fresh.Follows = follows
	for _, j := range follows {
		like = fmt.Sprint(like, " follows ", g.number[j])
	}
	g.put(step, index, like, fresh)
}

// same returns the jobs of tasks if the jobs differ and the tasks have the same index.
func same(tasks []need) (jobs []*job, index int) {
	for i, n := range tasks {
		if i > 0 && n.index != index || slices.Contains(jobs, n.job) {
			return nil, 0
		}
		jobs, index = append(jobs, n.job), n.index
	}
	return jobs, index
}

// put adds a step to a job with the key that has room at the index, or to the fresh one. Index -1 is the next one.
func (g *grouping) put(step, index int, key string, fresh *job) {
	var j *job
	for _, c := range g.byKey[key] {
		if len(c.Steps) < largestArray && (index < 0 || !slices.Contains(c.Indices, index)) {
			j = c
			break
		}
	}
	if j == nil {
		j = fresh
		g.number[j] = len(g.jobs)
		g.byKey[key] = append(g.byKey[key], j)
		g.jobs = append(g.jobs, j)
	}
	if index < 0 {
		index = len(j.Steps)
	}
	j.Steps, j.Indices = append(j.Steps, step), append(j.Indices, index)
	g.of[step], g.at[step] = j, index
}
