package mpicalls

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// written is a file of a rank, as the recorder writes it.
type written struct{ b []byte }

func rankFile(rank, ranks int, run uint64) *written {
	w := &written{append([]byte(nil), magic...)}
	for _, v := range []uint32{version, uint32(rank), uint32(ranks), 0, uint32(run), uint32(run >> 32)} {
		w.b = binary.LittleEndian.AppendUint32(w.b, v)
	}
	return w.text("./app")
}

func (w *written) text(s string) *written {
	w.b = append(binary.AppendUvarint(w.b, uint64(len(s))), s...)
	return w
}

// call adds the first record of a call, after 10 ns of computation and within 5 ns.
func (w *written) call(kind byte, numbers ...int64) *written {
	return w.record(kind|firstFlag, append([]int64{12, 5, 10}, numbers...)...)
}

func (w *written) record(kind byte, numbers ...int64) *written {
	w.b = append(w.b, kind)
	for _, n := range numbers {
		w.b = binary.AppendUvarint(w.b, uint64(n))
	}
	return w
}

// zigzag is how a signed number is written.
func zigzag(v int64) int64 { return v<<1 ^ v>>63 }

func (w *written) end() []byte { return w.call(finalRecord, 0, 0).b }

// collected keeps the events of all ranks as text.
type collected map[trace.Proc][]string

func (c collected) Refs(*trace.Refs) error { return nil }
func (c collected) Events(b *trace.Events) error {
	for _, e := range b.Rows {
		c[b.Proc] = append(c[b.Proc], fmt.Sprintf("%v peer %d tag %d group %d bytes %d request %d work %d time %d", e.Kind, e.Peer, e.Tag, e.Group, e.Bytes,
			e.Request, e.Work, e.Time))
	}
	return nil
}

func imported(t *testing.T, o format.Options, files ...[]byte) (collected, format.Result, error) {
	t.Helper()
	dir := t.TempDir()
	for i, b := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("rank-%06d.mpi", i)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := MPI{}.Expand(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != len(files) {
		t.Fatalf("%d files of %d are recognised", len(paths), len(files))
	}
	in := input.NewFiles(context.Background(), paths, nil, nil)
	defer in.Close()
	c := collected{}
	r, err := MPI{}.ImportFiles(in, o, c)
	return c, r, err
}

// two ranks: rank 0 receives from any rank, and both have a communicator.
func two() (a, b *written) {
	a = rankFile(0, 2, 7).
		call(irecvRecord, zigzag(-1), zigzag(-1), 0, 1, 64, 0x1000, 1).
		call(waitRecord, 1, 1, zigzag(1), zigzag(5), 8).
		call(communicatorRecord, 2, 1, 0, 2).
		call(collectiveRecord, 4, 2, zigzag(-1), 16, 0)
	b = rankFile(1, 2, 7).
		call(sendRecord, zigzag(0), zigzag(5), 0, 8, 0x2000, 1).
		call(communicatorRecord, 2, 1, 0, 2).
		call(collectiveRecord, 4, 2, zigzag(-1), 16, 0)
	return a, b
}

func TestImport(t *testing.T) {
	a, b := two()
	c, r, err := imported(t, format.Options{}, a.end(), b.end())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"compute peer -1 tag -1 group -1 bytes 0 request -1 work 10000 time 0",
		"irecv peer 1 tag 5 group -1 bytes 8 request 0 work 0 time 12000",
		"compute peer -1 tag -1 group -1 bytes 0 request -1 work 10000 time 17000",
		"wait peer -1 tag -1 group -1 bytes 0 request 0 work 0 time 29000",
		"compute peer -1 tag -1 group -1 bytes 0 request -1 work 20000 time 34000",
		"allreduce peer -1 tag -1 group 1 bytes 16 request -1 work 0 time 63000",
		"compute peer -1 tag -1 group -1 bytes 0 request -1 work 10000 time 68000",
	}
	if have := strings.Join(c[0], "\n"); have != strings.Join(want, "\n") {
		t.Errorf("rank 0:\n%s", have)
	}
	if r.Procs != 2 || r.Program != "./app" || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
}

// TestCollectivesThatRanksWaitIn: of calls that differ only in waiting, the least time is computation.
func TestCollectivesThatRanksWaitIn(t *testing.T) {
	files := [][]byte{}
	for rank := range 2 {
		w := rankFile(rank, 2, 1)
		for i := range int64(fewCalls) {
			w.record(collectiveRecord|firstFlag|wholeFlag, 0, 1000, 0, 300+100*i, 1, 0, zigzag(-1), 0, 0)
		}
		files = append(files, w.call(collectiveRecord|wholeFlag, 900, 4, 0, zigzag(-1), 8, 0).end())
	}
	c, _, err := imported(t, format.Options{}, files...)
	if err != nil {
		t.Fatal(err)
	}
	work := 0
	for _, line := range c[1] {
		var n int
		if at := strings.Index(line, "work "); strings.HasPrefix(line, "compute") {
			fmt.Sscanf(line[at:], "work %d", &n)
		}
		work += n
	}
	if want := (fewCalls*300 + 10 + 10) * 1000; work != want {
		t.Errorf("%d ps of computation, want %d", work, want)
	}
}

// TestDamage: a damaged or incomplete folder is one error, and a run that was killed is kept with a note.
func TestDamage(t *testing.T) {
	a, b := two()
	whole, other := a.end(), b.end()
	killed := append(append([]byte(nil), whole[:len(whole)-6]...), 0, 0, 0)
	foreign := append([]byte(nil), other...)
	foreign[24] = 9
	rank := func(w *written) []byte { return w.end() }
	for _, c := range []struct {
		name  string
		files [][]byte
		want  string // in the error or, after "note: ", in a note
	}{
		{"cut", [][]byte{whole[:len(whole)-8], other}, "the file is cut; copy it again"},
		{"cut header", [][]byte{whole[:20], other}, "the file is cut"},
		{"one missing", [][]byte{whole}, "the run had 2 ranks, but 1 rank has no file, first rank 1; give the files"},
		{"two runs", [][]byte{whole, foreign}, "from another run"},
		{"one twice", [][]byte{whole, whole}, "has rank 0, like"},
		{"killed", [][]byte{killed, other}, "note: 1 rank ended without MPI_Finalize"},
		{"rank out of range", [][]byte{rank(rankFile(0, 1, 1).call(sendRecord, zigzag(5), zigzag(0), 0, 8, 0))}, "rank 5 of 1"},
		{"unknown communicator", [][]byte{rank(rankFile(0, 1, 1).call(sendRecord, zigzag(0), zigzag(0), 9, 8, 0))}, "communicator 9"},
		{"unknown kind", [][]byte{rank(rankFile(0, 1, 1).record(31))}, "record of kind 31"},
		{"large communicator", [][]byte{rank(rankFile(0, 1, 1).call(communicatorRecord, 2, 1, 0, 1<<40))}, "the length of a run"},
		{"bad collective", [][]byte{rank(rankFile(0, 1, 1).call(collectiveRecord, 77, 0, 0, 0, 0))}, "collective of kind 77"},
		{"newer", [][]byte{append([]byte("SPOORMPI\x02"), whole[9:]...)}, "version 2 of the recorder"},
	} {
		_, r, err := imported(t, format.Options{}, c.files...)
		note, isNote := strings.CutPrefix(c.want, "note: ")
		switch {
		case isNote && (err != nil || !strings.Contains(strings.Join(r.Notes, "\n"), note)):
			t.Errorf("%s: %v %q", c.name, err, r.Notes)
		case !isNote && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestEveryByte: a file with any byte changed is imported or refused, and never more.
func TestEveryByte(t *testing.T) {
	a, _ := two()
	whole := a.end()
	path := filepath.Join(t.TempDir(), "rank-000000.mpi")
	for i := range whole {
		for _, v := range []byte{0, 1, 127, 255, whole[i] ^ 32} {
			changed := append([]byte(nil), whole...)
			changed[i] = v
			if err := os.WriteFile(path, changed, 0o666); err != nil {
				t.Fatal(err)
			}
			in := input.NewFiles(context.Background(), []string{path}, nil, nil)
			_, _ = MPI{}.ImportFiles(in, format.Options{Unmatched: true}, collected{}) // it must end
			in.Close()
		}
	}
}
