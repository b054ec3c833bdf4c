package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/model"
)

// Study predicts the runs of one program on several machines by several models.
type Study struct {
	Runs        []*Run
	RunsOn      func(m *machine.Machine) ([]*Run, error) // the runs as counted for a machine; nil: Runs
	Models      []model.Model[*Case]
	Named       bool         // the user named the models, so each must predict
	Processors  []int        // numbers of processors; nil: those of the runs that fit the machine
	Full        bool         // only runs with as many processors as the machine
	Transaction float64      // instructions of a transaction; 0: none
	Printed     bool         // the equations as printed
	Note        func(string) // receives what the user should know

	present []*Run          // of the machine that is predicted
	noted   map[string]bool // models that the measurements do not allow
	advised map[*Run]bool   // runs whose analysis was noted
}

// skippedMachine is the reason why no model can predict one machine. Others may be predicted.
type skippedMachine struct{ error }

// Predict predicts each machine, and notes those that it cannot predict. It fails if it can predict none.
func (s *Study) Predict(machines []*machine.Machine) (all []model.Prediction, err error) {
	var reasons []error
	for _, m := range machines {
		some, err := s.predict(m)
		if err == nil {
			for _, note := range keyuse.OfMachine(m, s.use(m, some)) {
				s.Note(note)
			}
		}
		if reason := (skippedMachine{}); errors.As(err, &reason) {
			reasons = append(reasons, reason)
		} else if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if len(all) == 0 && len(reasons) == 1 {
		return nil, reasons[0]
	}
	for _, reason := range reasons {
		s.Note(fmt.Sprintf("skipped: %v", reason))
	}
	if len(all) == 0 {
		return nil, errors.New("nothing can be predicted on any of these machines")
	}
	return all, nil
}

// use returns what predictions use of a machine.
func (s *Study) use(m *machine.Machine, all []model.Prediction) keyuse.Use {
	u := keyuse.Use{Models: modelsOf(all), Procs: len(s.Processors) > 0}
	u.Messages = (&Case{Runs: s.present}).passesMessages()
	u.Apart = u.Messages && m.Memory.Placement == machine.FirstTouch
	u.Flops = u.Messages && slices.ContainsFunc(s.present, func(r *Run) bool { return r.messages != nil && r.messages.Work > 0 && r.messages.WorkUnit != "ps" })
	return u
}

// modelsOf returns the names of the models of predictions.
func modelsOf(all []model.Prediction) (names []string) {
	for _, p := range all {
		names = append(names, p.Model)
	}
	return names
}

// predict applies the models to m. It notes models that the measurements do not allow, unless the user named them.
func (s *Study) predict(m *machine.Machine) (all []model.Prediction, err error) {
	runs, err := s.runsOn(m)
	if err != nil {
		return nil, err
	}
	s.present = runs
	processors := s.Processors
	if len(processors) == 0 {
		processors = s.fitting(m, runs)
	}
	if len(processors) == 0 {
		return nil, skippedMachine{fmt.Errorf("no run fits machine %s with %d processors; give --processors to scale a run", m.Name, m.Count())}
	}
	var last error
	digest := m.Digest()
	for _, n := range processors {
		for _, v := range s.Models {
			c := &Case{Runs: runs, Machine: m, Processors: n}
			p, err := v.Predict(c)
			if !c.onlyMessages() {
				s.adviseAnalysis(c.run(), m, p, err)
			}
			switch {
			case err == nil:
				p.MachineSHA = digest
				p.Terms = append(p.Terms, rates(p, c, s.Transaction, s.Printed)...)
				all = append(all, p)
			case !s.Named && isForOthers(err):
				last = cmp.Or(last, err) // the model is for other traces
			case s.Named:
				return nil, fmt.Errorf("predicting %s with model %s: %w", runs[0].Program, v.Name(), err)
			default:
				s.missing(v.Name(), err)
				last = err
			}
		}
	}
	if len(all) == 0 {
		return nil, skippedMachine{fmt.Errorf("predicting %s on %s: no model applies: %w", runs[0].Program, m.Name, last)}
	}
	return all, nil
}

// isForOthers reports whether a model is for other kinds of traces.
func isForOthers(err error) bool { return errors.As(err, &wrongTrace{}) }

// runsOn returns the runs for predictions of m.
func (s *Study) runsOn(m *machine.Machine) ([]*Run, error) {
	if s.RunsOn == nil {
		return s.Runs, nil
	}
	return s.RunsOn(m)
}

// missing notes once why a model cannot predict.
func (s *Study) missing(name string, err error) {
	if note := fmt.Sprintf("no prediction by %s: %v", name, err); !s.noted[note] {
		s.Note(note)
		if s.noted == nil {
			s.noted = map[string]bool{}
		}
		s.noted[note] = true
	}
}

// Predicts reports whether s predicts a run with n processors on m.
func (s *Study) Predicts(m *machine.Machine, n int) bool {
	if len(s.Processors) > 0 {
		return slices.Contains(s.Processors, n)
	}
	return n <= m.Count() && (!s.Full || n == m.Count())
}

// fitting returns the numbers of processors of the runs that fit a machine. If the study is full, it returns those that fill it.
func (s *Study) fitting(m *machine.Machine, runs []*Run) (processors []int) {
	have := m.Count()
	for _, r := range runs {
		if r.Processors > have {
			s.Note(fmt.Sprintf("skipped: %s has %d processors, but machine %s only %d", r.Name, r.Processors, m.Name, have))
		} else if s.Predicts(m, r.Processors) {
			processors = append(processors, r.Processors)
		}
	}
	return processors
}
