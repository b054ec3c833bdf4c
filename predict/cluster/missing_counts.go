package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
)

// LacksCounts reports whether an error or a warning of a model asks for another analysis of the trace.
func LacksCounts(err error) bool { return err != nil && strings.Contains(err.Error(), "run analyze") }

// adviseAnalysis notes the analysis of a run that has all counts for its prediction on m, if it lacks some. It does so
// once for each run. Parameters without a trace cannot be counted again.
func (s *Study) adviseAnalysis(r *Run, m *machine.Machine, p model.Prediction, err error) {
	if s.RunsOn != nil || r == nil || r.Trace == "" || s.advised[r] {
		return
	}
	lacks := LacksCounts(err)
	for _, w := range p.Warnings {
		lacks = lacks || LacksCounts(w)
	}
	flags := r.analysisFor(m)
	if !lacks || flags == nil {
		return
	}
	if s.advised == nil {
		s.advised = map[*Run]bool{}
	}
	s.advised[r] = true
	s.Note(fmt.Sprintf("%s lacks counts for %s: give the trace instead of --params, or run analyze %s -o %s TRACE", r.Name, m.Name, strings.Join(flags, " "), r.dir()))
}

// analysisFor returns the flags of analyze with which all models predict r on m. Without the distances for that, they are
// those of model [Curve]. Without a model for m it returns nil.
func (r *Run) analysisFor(m *machine.Machine) []string {
	lines := linesOf(m)
	if len(lines) == 0 {
		return nil
	}
	line := "--line=" + joined(unique(lines))
	locks, waits, known := phases.SyncCounts(headOf(r.phasesTable))
	more, err := r.PhaseFlags(m, !known || locks+waits > 0)
	if err != nil {
		return []string{"--run=reuse,locality", line}
	}
	return append([]string{"--run=reuse,locality,phases", line}, more[2:]...)
}

// dir returns the folder of the results of r.
func (r *Run) dir() string {
	if info, err := os.Stat(r.Name); err == nil && !info.IsDir() {
		return filepath.Dir(r.Name)
	}
	return r.Name
}
