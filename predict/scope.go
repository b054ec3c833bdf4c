package main

import (
	"errors"

	"spoor/predict/internal/replay"
	"spoor/traces/stage"
)

// scope returns what a simulation of s covers, and why it leaves out references that the trace has, or nil. It covers
// all that the trace has and the machine describes, unless --references says otherwise.
func (f *simulationFlags) scope(s *simulation) (scope replay.Scope, without error, err error) {
	given, on := f.changed("references"), f.references
	messages, memory := s.survey.HasMessages(), s.survey.SharesMemory()
	switch {
	case given && !on && memory:
		return 0, nil, stage.Usage("--references=false: %s has locks, tasks, flags or forks, so its references must be simulated", s.prefix)
	case !messages && s.hasTimesAlone():
		return replay.Messages, nil, nil
	case given && !on:
		return replay.Messages, s.left(errors.New("--references=false")), nil
	case !messages && f.withoutReferences() != nil && s.mayPassMessages():
		return replay.Messages, s.left(f.withoutReferences()), nil
	case !messages:
		return replay.References, nil, nil
	case memory || given && on:
		if err := f.withoutReferences(); err != nil {
			return 0, nil, stage.Usage("%s %s, and references cannot be simulated: %w", s.prefix, programsOf(replay.Both), err)
		}
		return replay.Both, nil, nil
	}
	for _, why := range []error{f.withoutReferences(), s.survey.CheckBoth(s.machine), s.machine.NeedReferences("to simulate them")} {
		if why != nil {
			return replay.Messages, s.left(why), nil
		}
	}
	if !s.survey.HasReferences() {
		return replay.Messages, nil, nil
	}
	return replay.Both, nil, nil
}

// left returns why references of the trace are left out, or nil if it has none.
func (s *simulation) left(why error) error {
	if !s.survey.HasReferences() {
		return nil
	}
	return why
}
