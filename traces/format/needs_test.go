package format

import (
	"bytes"
	"spoor/traces/format/internal/chrome"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/format/internal/goal"
	"spoor/traces/format/internal/paraver"
	"spoor/traces/format/internal/simgridti"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
	"strings"
	"testing"
)

// Events that need each other never happen, so no exporter that reads events writes
// them; needs of later events without a circle are written.
func TestExportRefusesCircularNeeds(t *testing.T) {
	circle := [][]trace.Event{{formattest.None(trace.Compute, formattest.Working(1000), formattest.Needing(1)), formattest.None(trace.Compute, formattest.Working(1000), formattest.Needing(0))}}
	missing := [][]trace.Event{{formattest.None(trace.Compute, formattest.Working(1000), formattest.Needing(7))}}
	later := [][]trace.Event{{formattest.None(trace.Compute, formattest.Working(1000), formattest.Needing(1)), formattest.None(trace.Compute, formattest.Working(1000), formattest.Needing())}}
	for _, c := range []struct {
		ex  format.Exporter
		set map[string]string
	}{{goal.Goal{}, nil}, {goal.Goal{}, map[string]string{"binary": "true"}}, {simgridti.SimGridTI{}, map[string]string{"flops": "1Gf"}}, {paraver.Paraver{}, nil}, {chrome.Chrome{}, nil}} {
		for what, rows := range map[string][][]trace.Event{"needs itself|deadlock": circle, "needs event 7": missing, "": later} {
			var b bytes.Buffer
			_, err := c.ex.Export(formattest.Tell(trace.WorkPicos, rows...), format.ExportOptions{Set: c.set}, &b)
			said := false
			for _, w := range strings.Split(what, "|") {
				said = said || err != nil && strings.Contains(err.Error(), w)
			}
			if (what == "") != (err == nil) || what != "" && !said {
				t.Errorf("%s: %v, want %q", c.ex.Info().Name, err, what)
			}
		}
	}
}
