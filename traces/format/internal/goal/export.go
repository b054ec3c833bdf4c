package goal

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"spoor/traces/internal/format"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

var _ format.Exporter = Goal{}

const (
	goalInstrSetting  = "instruction"
	goalFlopSetting   = "flop"
	goalBinarySetting = "binary"
)

// Export writes all ranks. Program order becomes a chain of dependencies: an operation
// requires the previous one. After isend and irecv it requires only their start; after
// a wait it requires the end of the requested operation. Instructions and work become
// calc. Collectives become messages (see goal_collectives.go).
func (f Goal) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	x := &goalExport{src: src, head: src.Header()}
	if n := len(o.Procs); n > 0 && n != x.head.Procs {
		return nil, fmt.Errorf("a schedule needs all ranks, because of their messages; export without --proc")
	}
	if x.head.Procs < 1 || x.head.Procs > maxGoalRanks {
		return nil, fmt.Errorf("the trace has %d processors; a schedule can have 1 to %d ranks", x.head.Procs, maxGoalRanks)
	}
	binary, err := x.settings(f, o)
	if err != nil {
		return nil, err
	}
	if x.survey, err = surveyForGoal(src); err != nil {
		return nil, err
	}
	if x.survey.flops > 0 && x.perFlop < 0 {
		return nil, fmt.Errorf("the trace has work in flop, but a schedule has times; give the time of a flop, such as --set %s=0.5ns", goalFlopSetting)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if binary {
		err = x.binary(out)
	} else {
		err = x.text(out)
	}
	if err != nil {
		return nil, err
	}
	return x.notes(), out.Flush()
}

// settings reads the settings.
func (x *goalExport) settings(f Goal, o format.ExportOptions) (binary bool, err error) {
	if x.unit, err = goalPicos(goalUnitSetting, o.Setting(f, goalUnitSetting)); err != nil {
		return false, err
	}
	if x.perInstr, err = goalRate(goalInstrSetting, o.Setting(f, goalInstrSetting)); err != nil {
		return false, err
	}
	x.perFlop = -1
	if v := o.Setting(f, goalFlopSetting); v != "" {
		if x.perFlop, err = goalRate(goalFlopSetting, v); err != nil {
			return false, err
		}
	}
	v := o.Setting(f, goalBinarySetting)
	if binary, err = strconv.ParseBool(v); err != nil {
		return false, format.BadSetting("%s: %q is neither true nor false", goalBinarySetting, v)
	}
	return binary, nil
}

// goalRate reads a time in ps that need not be whole.
func goalRate(name, value string) (float64, error) {
	seconds, err := unit.Parse(value, "s")
	if err != nil {
		return 0, format.BadSetting("%s: %w", name, err)
	}
	if seconds < 0 || seconds > 1e6 {
		return 0, format.BadSetting("%s: %q is not a time from 0s to 1000000s", name, value)
	}
	return seconds * 1e12, nil
}

// notes lists what the schedule cannot express.
func (x *goalExport) notes() (all []string) {
	s := x.survey
	if n, some := s.references(x.src); some {
		all = append(all, "goal has no memory references: "+n+" omitted")
	}
	if x.head.HasTime {
		all = append(all, "goal has no recorded times: they are omitted")
	}
	if x.instrs > 0 {
		all = append(all, fmt.Sprintf("%d instructions became calc, at %v each; --set %s changes that", x.instrs, unit.Seconds(x.perInstr*1e-12), goalInstrSetting))
	}
	if s.flops > 0 {
		all = append(all, fmt.Sprintf("%d flop became calc, at %v each", s.flops, unit.Seconds(x.perFlop*1e-12)))
	}
	if x.rounded > 0 {
		all = append(all, fmt.Sprintf("calc counts whole units of %v: %d computations are rounded down, the rest is added to the next; --set %s=1ps is finer",
			unit.Picos(x.unit), x.rounded, goalUnitSetting))
	}
	if x.lost > 0 {
		all = append(all, fmt.Sprintf("%d waits without a request in this trace are omitted", x.lost))
	}
	return append(all, s.notes()...)
}
