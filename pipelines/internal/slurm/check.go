package slurm

import (
	"fmt"
	"slices"
)

// Check is what the last jobs of a round do: it submits what was lost, and what was stopped by that, as the next round. It does
// nothing if that has been done.
func Check(folder string, number int) error {
	s, err := Open(folder)
	if err != nil {
		return err
	}
	v, err := s.survey()
	if err != nil {
		return err
	}
	last := v.rounds[len(v.rounds)-1]
	if last.number > number && last.complete {
		return nil
	}
	steps := s.missing(v)
	if len(steps) == 0 && last.number == number {
		return nil
	}
	next := &round{number: last.number + 1, Jobs: s.arrays(steps, v.lost, v.jobs), Lost: v.lost}
	for _, id := range v.jobs { // of a round that was not submitted as a whole
		next.Earlier = append(next.Earlier, id)
	}
	slices.Sort(next.Earlier)
	if err := s.submit(next); err != nil {
		return fmt.Errorf("submitting lost steps again: %w", err)
	}
	return nil
}

// Cancel ends all jobs of a study.
func Cancel(folder string) (ended int, err error) {
	s, err := Open(folder)
	if err != nil {
		return 0, err
	}
	v, err := s.survey()
	if err != nil {
		return 0, err
	}
	// The checks go first, or they would submit the others again.
	var ids []string
	for i := len(v.rounds) - 1; i >= 0; i-- {
		r := v.rounds[i]
		ids = append(ids, r.ids[min(len(r.Jobs), len(r.ids)):]...)
		ids = append(ids, r.ids[:min(len(r.Jobs), len(r.ids))]...)
	}
	if len(v.jobs)+v.checks == 0 {
		return 0, nil
	}
	_, err = call("scancel", append([]string{"--quiet"}, ids...)...)
	return len(v.jobs), err
}
