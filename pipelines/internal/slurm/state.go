package slurm

// A State is where a step is.
type State int

// The states of steps.
const (
	_       State = iota
	Done          // it ended well
	Running       // its job runs
	Waiting       // its job waits for others or for the cluster
	Failed        // it ended with an error
	Lost          // its job is gone, and it did not end: it was killed, or its node was
	GivenUp       // it was lost too often
	Stopped       // it was not started, because a step that it needs was lost or did not end well
)

var stateNames = map[State]string{Done: "done", Running: "running", Waiting: "waiting", Failed: "failed", Lost: "lost", GivenUp: "given up", Stopped: "stopped"}

func (s State) String() string { return stateNames[s] }

// A survey is the state of a study at one time.
type survey struct {
	states []State
	jobs   map[int]string // the job of each step that runs or waits
	lost   map[int]int    // how often each step was lost
	rounds []*round
	checks int // of the last round that run or wait
}

// survey finds out the states of all steps.
func (s *Study) survey() (*survey, error) {
	// A job leaves the queue after its step has ended, so the queue is read first.
	queued, err := queue()
	if err != nil {
		return nil, err
	}
	v := &survey{states: make([]State, len(s.Plan.Steps)), jobs: map[int]string{}, lost: map[int]int{}}
	if v.rounds, err = s.rounds(); err != nil {
		return nil, err
	}
	for _, r := range v.rounds {
		v.find(r, queued)
	}
	if n := len(v.rounds); n > 0 {
		last := v.rounds[n-1]
		for step, n := range last.Lost {
			v.lost[step] = n
		}
		for _, id := range last.ids[min(len(last.Jobs), len(last.ids)):] {
			if queued[id] != "" {
				v.checks++
			}
		}
	}
	for step := range s.Plan.Steps {
		v.states[step] = s.state(v, step)
	}
	return v, nil
}

// find notes which jobs of a round are in the queue.
func (v *survey) find(r *round, queued map[string]string) {
	for _, j := range r.Jobs {
		if j.id == "" {
			continue
		}
		for i, step := range j.Steps {
			switch state := queued[j.reference(i)]; state {
			case "":
			case "PENDING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT":
				v.jobs[step], v.states[step] = j.reference(i), Waiting
			default:
				v.jobs[step], v.states[step] = j.reference(i), Running
			}
		}
	}
}

// state is that of a step, after those that it needs. A step that is lost now has been lost once more than the last round knows.
func (s *Study) state(v *survey, step int) State {
	if status, ended := s.exitStatus(step); ended {
		if status != 0 {
			return Failed
		}
		return Done
	}
	if v.states[step] != 0 {
		return v.states[step]
	}
	for _, name := range s.Plan.Steps[step].Needs {
		if v.states[s.number[name]] != Done {
			return Stopped
		}
	}
	if v.lost[step]++; v.lost[step] >= s.Tries {
		return GivenUp
	}
	return Lost
}

// missing are the steps that were lost, and those that were stopped but need only such ones and ones that run or wait.
func (s *Study) missing(v *survey) []int {
	var steps []int
	again := map[int]bool{}
	for step, state := range v.states {
		switch state {
		case Lost:
			again[step] = true
		case Stopped:
			again[step] = true
			for _, name := range s.Plan.Steps[step].Needs {
				need := s.number[name]
				if s := v.states[need]; s == Failed || s == GivenUp || s == Stopped && !again[need] {
					delete(again, step)
					break
				}
			}
		}
		if again[step] {
			steps = append(steps, step)
		}
	}
	return steps
}
