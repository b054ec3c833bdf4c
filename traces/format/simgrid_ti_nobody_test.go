package format

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// Ranks at the ends of a line of four receive from MPI_PROC_NULL, which SMPI writes as
// -333. No messages are left for these receives.
func TestTIReceivesFromNobody(t *testing.T) {
	paths, err := SimGridTI{}.Expand(filepath.Join("testdata", "procnull"))
	if err != nil || len(paths) != 4 {
		t.Fatal(paths, err)
	}
	m, r, err := tiFiles(t, Options{}, paths...)
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
	if _, _, err := tiFiles(t, Options{Set: map[string]string{"source": "any"}}, paths...); err == nil {
		t.Error("receives from any source have no messages, but import succeeds")
	}
}

// The counts of messages and receives tell what -333 means, or the user does.
func TestTIMeaningOfSource(t *testing.T) {
	for _, c := range []struct {
		bodies []string
		source string
		want   string // peers of the receives of rank 1, or a part of the error
	}{
		{[]string{"send 1 7 9 1", "recv -333 7 9 1"}, "auto", "-1"},
		{[]string{"", "recv -333 7 9 1"}, "auto", ""},
		{[]string{"send 1 7 9 1", "recv 0 7 9 1; recv -333 7 9 1"}, "auto", "0"},
		{[]string{"send 1 7 9 1", "recv -333 8 9 1; recv -333 7 9 1"}, "auto", "-1"},
		{[]string{"send 1 7 9 1", "recv -333 7 9 1; recv -333 7 9 1"}, "auto", "1 message left for 2 such receives: "},
		{[]string{"send 1 7 9 1", "recv -333 7 9 1; recv -333 7 9 1"}, "any", "1 more than are sent"},
		{[]string{"", "recv -333 7 9 1; recv -333 7 9 1"}, "null", ""},
		{[]string{"send 1 7 9 1", "recv -555 7 9 1; recv -333 7 9 1"}, "auto", "-1"},
		{[]string{"send 1 7 9 1; send 1 8 9 1", "recv -333 -444 9 1; recv -333 8 9 1"}, "auto", "-1 -1"},
		{[]string{"send 1 7 9 1", "recv 0 -444 9 1; recv -333 8 9 1"}, "auto", "0"},
		{[]string{"send 1 7 9 1", "irecv -333 7 9 1; wait -333 1 7"}, "auto", "-1"},
		{[]string{"", "irecv -333 7 9 1; wait -333 1 7; test -333 1 7; irecv -333 8 9 1; waitall"}, "auto", ""},
		{[]string{"send 1 0 9 1", "sendRecv 4 -333 4 -333 6 6"}, "auto", "-1"},
		{[]string{"", "sendRecv 4 -333 4 -333 6 6"}, "auto", ""},
		{[]string{"", "compute 1"}, "frob", "choose auto, any or null"},
	} {
		dir := tiWrite(t, map[string]string{"t": tiOf(c.bodies...)})
		m, _, err := tiFiles(t, Options{Set: map[string]string{"source": c.source}}, filepath.Join(dir, "t"))
		var peers []string
		if err == nil {
			for _, e := range m.EventsOf[1].Rows {
				if e.Kind == trace.Recv || e.Kind == trace.Irecv {
					peers = append(peers, fmt.Sprint(e.Peer))
				}
			}
		}
		got := strings.Join(peers, " ")
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != c.want || err != nil && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%q, source=%s: %s, want %q", c.bodies, c.source, got, c.want)
		}
	}
	_, _, err := importText(SimGridTI{}, tiOf("", "recv -333 7 9 1"), Options{})
	if err == nil || !strings.Contains(err.Error(), "read twice; give it as a file; or choose the meaning of source -333") {
		t.Errorf("standard input: %v", err)
	}
}

// Files and lists may have any names. A list gives the order of the ranks.
func TestTIFilesOfAnyName(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 9))
	for range 20 {
		n := 2 + rng.IntN(4)
		whole := tiOf(strings.Split(strings.Repeat("compute 5; barrier,", n-1)+"barrier", ",")...)
		files, list := map[string]string{}, "# ranks\n"
		for rank := range n {
			name := []string{"0", "b.ti", "some trace", "c", "3.5_x"}[rank]
			for line := range strings.Lines(whole) {
				if strings.HasPrefix(line, fmt.Sprint(rank)+" ") {
					files["ranks/"+name] += line
				}
			}
			list += "ranks/" + name + "\n"
		}
		files["smpi_simgrid.txt"] = list
		dir := tiWrite(t, files)
		want, _ := tiMust(t, whole, Options{})
		for what, folder := range map[string]string{"a folder with a list": dir, "a folder of ranks": filepath.Join(dir, "ranks")} {
			paths, im, err := ExpandFolder(folder, nil)
			if err != nil || im.Name() != "simgrid-ti" {
				t.Fatalf("%s: %v, %v", what, paths, err)
			}
			m, _, err := tiFiles(t, Options{}, paths...)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			sameEvents(t, what, m, want)
		}
		in, err := NewFiles(t.Context(), []string{filepath.Join(dir, "smpi_simgrid.txt")}, nil, nil).Open(0)
		if err != nil {
			t.Fatal(err)
		}
		if im, note, err := Detect(in); err != nil || im.Name() != "simgrid-ti" || !strings.Contains(note, "a list of files") {
			t.Errorf("the list: %v, %q, %v", im, note, err)
		}
		in.Close()
	}
	swapped := tiWrite(t, map[string]string{"l": "b\na\n", "a": "0 init\n0 finalize\n", "b": "1 init\n1 finalize\n"})
	_, _, err := tiFiles(t, Options{}, filepath.Join(swapped, "l"))
	wantError(t, "a list in the wrong order", err, filepath.Join(swapped, "b")+":1: ", "rank 1 in the file of rank 0")
	mixed := tiWrite(t, map[string]string{"a": "0 init\n0 finalize\n", "b": "hello\n"})
	if _, _, err := ExpandFolder(mixed, nil); err == nil || !strings.Contains(err.Error(), "a has actions of SimGrid, but b has not") {
		t.Errorf("a mixed folder: %v", err)
	}
	two := tiWrite(t, map[string]string{"r": "0 init\n0 finalize\n", "a": "r\n", "b": "r\n"})
	if _, _, err := ExpandFolder(two, nil); err == nil || !strings.Contains(err.Error(), "several lists") {
		t.Errorf("two lists: %v", err)
	}
}
