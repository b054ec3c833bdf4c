package recorder

import (
	"fmt"
	"strings"

	"spoor/traces/trace"
)

// Sample selects references of each thread. Instructions and events are always recorded. The zero value selects all.
type Sample struct {
	Skip          uint64 // instructions at first, without references
	Window, Every uint64 // the first Window of each Every instructions have references; 0 for all; Every 0 for one window
	Most          uint64 // number of references; 0 for any
	NoStacks      bool   // without those of a thread to its own stack
}

// option is the sample as options of the plugin.
func (s Sample) option() string {
	var b strings.Builder
	for _, o := range []struct {
		name  string
		value uint64
	}{{"skip", s.Skip}, {"window", s.Window}, {"every", s.Every}, {"most", s.Most}} {
		if o.value > 0 {
			fmt.Fprintf(&b, ",%s=%d", o.name, o.value)
		}
	}
	if s.NoStacks {
		b.WriteString(",stacks=0")
	}
	return b.String()
}

// notes says which references a trace has, if not all.
func (s Sample) notes(e ends) []string {
	var parts []string
	switch {
	case s.Every > 0:
		parts = append(parts, fmt.Sprintf("the references of the first %d of every %d instructions", s.Window, s.Every))
	case s.Window > 0:
		parts = append(parts, fmt.Sprintf("the references of %d instructions", s.Window))
	}
	if s.Skip > 0 {
		parts = append(parts, fmt.Sprintf("those after the first %d instructions", s.Skip))
	}
	if s.Most > 0 {
		parts = append(parts, fmt.Sprintf("at most %d references", s.Most))
	}
	if s.NoStacks {
		parts = append(parts, "no references to its own stack")
	}
	switch {
	case len(parts) == 0:
		return nil
	case e.known && !e.cut:
		return []string{"all references were recorded: --skip, --window, --max-references or --stacks=false left none out"}
	}
	return []string{trace.SampleNote(strings.Join(parts, ", ") + ", of each thread")}
}
