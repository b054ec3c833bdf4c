package simgridti_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"spoor/traces/format"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/format/internal/simgridti"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
	"strings"
	"testing"
)

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
		t.Run(fmt.Sprintf("%v %v", c.bodies, c.source), func(t *testing.T) {
			dir := simgridti.TiWrite(t, map[string]string{"t": formattest.TiOf(c.bodies...)})
			m, _, err := simgridti.TiFiles(t, format.Options{Set: map[string]string{"source": c.source}}, filepath.Join(dir, "t"))
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
		})
	}
	_, _, err := formattest.ImportText(simgridti.SimGridTI{}, formattest.TiOf("", "recv -333 7 9 1"), format.Options{})
	if err == nil || !strings.Contains(err.Error(), "read twice; give it as a file; or choose the meaning of source -333") {
		t.Errorf("standard input: %v", err)
	}
}

// Files and lists may have any names. A list gives the order of the ranks.
func TestTIFilesOfAnyName(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 9))
	for range 20 {
		n := 2 + rng.IntN(4)
		whole := formattest.TiOf(strings.Split(strings.Repeat("compute 5; barrier,", n-1)+"barrier", ",")...)
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
		dir := simgridti.TiWrite(t, files)
		want, _ := simgridti.TiMust(t, whole, format.Options{})
		for what, folder := range map[string]string{"a folder with a list": dir, "a folder of ranks": filepath.Join(dir, "ranks")} {
			paths, im, err := format.ExpandFolder(folder, nil)
			if err != nil || im.Info().Name != "simgrid-ti" {
				t.Fatalf("%s: %v, %v", what, paths, err)
			}
			m, _, err := simgridti.TiFiles(t, format.Options{}, paths...)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			simgridti.SameEvents(t, what, m, want)
		}
		in, err := input.NewFiles(t.Context(), []string{filepath.Join(dir, "smpi_simgrid.txt")}, nil, nil).Open(0)
		if err != nil {
			t.Fatal(err)
		}
		if im, note, err := format.Detect(in); err != nil || im.Info().Name != "simgrid-ti" || !strings.Contains(note, "a list of files") {
			t.Errorf("the list: %v, %q, %v", im, note, err)
		}
		in.Close()
	}
	swapped := simgridti.TiWrite(t, map[string]string{"l": "b\na\n", "a": "0 init\n0 finalize\n", "b": "1 init\n1 finalize\n"})
	_, _, err := simgridti.TiFiles(t, format.Options{}, filepath.Join(swapped, "l"))
	formattest.WantError(t, "a list in the wrong order", err, filepath.Join(swapped, "b")+":1: ", "rank 1 in the file of rank 0")
	mixed := simgridti.TiWrite(t, map[string]string{"a": "0 init\n0 finalize\n", "b": "hello\n"})
	if _, _, err := format.ExpandFolder(mixed, nil); err == nil || !strings.Contains(err.Error(), "a has actions of SimGrid, but b has not") {
		t.Errorf("a mixed folder: %v", err)
	}
	two := simgridti.TiWrite(t, map[string]string{"r": "0 init\n0 finalize\n", "a": "r\n", "b": "r\n"})
	if _, _, err := format.ExpandFolder(two, nil); err == nil || !strings.Contains(err.Error(), "several lists") {
		t.Errorf("two lists: %v", err)
	}
}
