package simgridti

import (
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// Ranks at the ends of a line of four receive from MPI_PROC_NULL, which SMPI writes as
// -333. No messages are left for these receives.
func TestTIReceivesFromNobody(t *testing.T) {
	paths, err := SimGridTI{}.Expand(filepath.Join("testdata", "procnull"))
	if err != nil || len(paths) != 4 {
		t.Fatal(paths, err)
	}
	m, r, err := TiFiles(t, format.Options{}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Check(m); err != nil {
		t.Fatal(err)
	}
	receives := map[int32]int{}
	for p := range m.EventsOf {
		for _, e := range m.EventsOf[p].Rows {
			if e.Kind == trace.Irecv {
				receives[e.Peer]++
			}
		}
	}
	if receives[trace.None] != 0 || receives[0] != 6 || receives[1] != 11 || receives[2] != 11 || receives[3] != 6 {
		t.Errorf("receives by sender: %v", receives)
	}
	if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "10 receives from -333 omitted as from MPI_PROC_NULL") {
		t.Errorf("notes %q", notes)
	}
	if _, _, err := TiFiles(t, format.Options{Set: map[string]string{"source": "any"}}, paths...); err == nil {
		t.Error("receives from any source have no messages, but import succeeds")
	}
}
