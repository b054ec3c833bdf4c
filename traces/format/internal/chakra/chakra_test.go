package chakra

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// importRanks imports files of ranks that are made of these texts.
func importRanks(t *testing.T, o format.Options, texts ...string) (*trace.Memory, format.Result, error) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("x.%d.et", i)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := Chakra{}.Expand(dir)
	if err != nil || len(paths) != len(texts) {
		t.Fatal(paths, err)
	}
	files := input.NewFiles(context.Background(), paths, nil, nil)
	defer files.Close()
	sink := new(formattest.MemorySink)
	r, err := Chakra{}.ImportFiles(files, o, sink)
	sink.Head = trace.Header{Procs: r.Procs, WorkUnit: trace.WorkPicos}
	if err == nil && !o.Unmatched {
		if err := trace.Check(&sink.Memory); err != nil {
			t.Fatal(err)
		}
	}
	return &sink.Memory, r, err
}

func TestChakraGraph(t *testing.T) {
	zero := formattest.EtFile(
		formattest.EtNode{Id: 7, Kind: ChakraComp, Micros: 3, Data: []uint64{9}}, // comes after its need
		formattest.EtNode{Id: 9, Kind: chakraMetadata},
		formattest.EtNode{Id: 0, Kind: chakraSend, Data: []uint64{9, 7, 7}, Attrs: map[string]uint64{"comm_dst": 1, "comm_tag": 5, "comm_size": 100}},
		formattest.EtNode{Id: 3, Kind: chakraColl, Attrs: map[string]uint64{"comm_type": 7, "comm_size": 64}, Group: "tp"},
		formattest.EtNode{Id: 4, Kind: ChakraComp, Data: []uint64{3}, Ctrl: []uint64{7}})
	one := formattest.EtFile(
		formattest.EtNode{Id: 1, Kind: chakraRecv, Attrs: map[string]uint64{"comm_src": 0, "comm_tag": 5, "comm_size": 100}},
		formattest.EtNode{Id: 2, Kind: chakraColl, Attrs: map[string]uint64{"is_cpu_op": 1}},
		formattest.EtNode{Id: 3, Kind: chakraColl, Attrs: map[string]uint64{"comm_type": 7, "comm_size": 64}, Group: "tp"})
	m, r, err := importRanks(t, format.Options{}, zero, one)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for p := range 2 {
		for _, e := range formattest.Events(m, trace.Proc(p)) {
			got = append(got, fmt.Sprintf("%d %s peer %d tag %d group %d: %d bytes, %d ps, needs %v", p, e.Kind, e.Peer, e.Tag, e.Group, e.Bytes, e.Work, e.Needs))
		}
	}
	want := []string{
		"0 compute peer -1 tag -1 group -1: 0 bytes, 0 ps, needs []",
		"0 compute peer -1 tag -1 group -1: 0 bytes, 3000000 ps, needs [0]",
		"0 send peer 1 tag 5 group -1: 100 bytes, 0 ps, needs [1 0]",
		"0 reduce peer -1 tag -1 group 0: 64 bytes, 0 ps, needs []",
		"0 scatter peer -1 tag -1 group 0: 32 bytes, 0 ps, needs [3]",
		"0 compute peer -1 tag -1 group -1: 0 bytes, 0 ps, needs [4]",
		"1 recv peer 0 tag 5 group -1: 100 bytes, 0 ps, needs []",
		"1 compute peer -1 tag -1 group -1: 0 bytes, 0 ps, needs []",
		"1 reduce peer -1 tag -1 group 0: 64 bytes, 0 ps, needs []",
		"1 scatter peer -1 tag -1 group 0: 32 bytes, 0 ps, needs [2]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "1 control dependencies") || !strings.Contains(notes, "1 node of type COMM_COLL_NODE on the CPU") ||
		!strings.Contains(notes, "2 reduce-scatters") || !strings.Contains(notes, `process groups by number: "tp"`) {
		t.Errorf("notes %q", notes)
	}
}

// Any graph comes out in an order in which needs lie before, each node once.
func TestChakraOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		n := 1 + rng.IntN(60)
		place := rng.Perm(n) // a node may need those of smaller numbers, wherever they are
		nodes := make([]formattest.EtNode, n)
		for i := range n {
			nodes[place[i]] = formattest.EtNode{Id: uint64(i), Kind: ChakraComp, Micros: uint64(i)}
			for j := range i {
				if rng.IntN(n) < 2 {
					nodes[place[i]].Data = append(nodes[place[i]].Data, uint64(j))
				}
			}
		}
		m, _, err := importRanks(t, format.Options{}, formattest.EtFile(nodes...))
		if err != nil {
			t.Fatal(err)
		}
		rows := map[int64]int64{} // by microsecond, which is the id
		for row, e := range formattest.Events(m, 0) {
			id := e.Work / 1e6
			rows[id] = int64(row)
			var want []int64
			for _, d := range nodes[place[id]].Data {
				want = append(want, rows[int64(d)])
			}
			got := slices.Clone(e.Needs)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || slices.ContainsFunc(got, func(n int64) bool { return n >= int64(row) }) {
				t.Fatalf("node %d at row %d needs %v, want %v", id, row, got, want)
			}
		}
		if len(rows) != n {
			t.Fatalf("%d of %d nodes", len(rows), n)
		}
	}
}

func TestChakraComplaints(t *testing.T) {
	comp := func(id uint64, data ...uint64) formattest.EtNode {
		return formattest.EtNode{Id: id, Kind: ChakraComp, Data: data}
	}
	for _, c := range []struct{ text, want string }{
		{"", "GlobalMetadata missing"},
		{`{"workload_graph": []}`, "JSON form"},
		{formattest.EtFile(comp(1), comp(1)), "node id 1 appears twice"},
		{formattest.EtFile(comp(1, 2), comp(2, 1), comp(3, 1)), "dependency cycle of nodes 1, 2"},
		{formattest.EtFile(comp(5, 5)), "dependency cycle of nodes 5"},
		{formattest.EtFile(formattest.EtNode{Id: 1}), "node 1: its type is INVALID_NODE"},
		{formattest.EtFile(formattest.EtNode{Id: 1, Kind: 8}), "node 1: unknown type 8"},
		{formattest.EtFile(formattest.EtNode{Id: 1, Kind: chakraSend, Attrs: map[string]uint64{"comm_dst": 3}}), "its peer is rank 3, but there are files"},
		{formattest.EtFile(formattest.EtNode{Id: 1, Kind: ChakraComp, Micros: 1 << 60}), "its duration of"},
		{formattest.EtFile(formattest.EtNode{Id: 1, Kind: chakraColl, Attrs: map[string]uint64{"comm_type": 10}}), "unknown comm_type 10"},
		{formattest.EtFile(formattest.EtNode{Id: 1, Kind: chakraSend}), "has no receive; --unmatched note"},
		{formattest.EtFile() + "\x05abc", "message is truncated: 3 bytes of 5"},
		{formattest.EtFile() + "\x02\x08", "message is truncated"},
		{formattest.EtFile() + "\x02\x0a\x05", "field 1 is damaged or truncated"},
	} {
		t.Run(c.want, func(t *testing.T) {
			_, _, err := importRanks(t, format.Options{}, c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), ".et: ") || !strings.Contains(err.Error(), "offset ") {
				t.Errorf("%.30q: %v, want %q", c.text, err, c.want)
			}
		})
	}
	_, r, err := importRanks(t, format.Options{}, formattest.EtFile(comp(1, 9)))
	if err != nil || !strings.Contains(strings.Join(r.Notes, "; "), "node 1 depends on node 9, which does not exist") {
		t.Errorf("a pruned dependency: %v, %v", r.Notes, err)
	}
	_, _, err = importRanks(t, format.Options{Set: map[string]string{"deps": "none"}}, formattest.EtFile())
	formattest.WantError(t, "deps", err, "--set deps=none", "choose data or all")
}

func TestChakraNamesOfRanks(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.10.et", "a.2.et", "a.x.et", "note.txt"} {
		os.WriteFile(filepath.Join(dir, name), nil, 0o666)
	}
	got, err := Chakra{}.Expand(dir)
	if want := []string{filepath.Join(dir, "a.2.et"), filepath.Join(dir, "a.10.et")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	os.WriteFile(filepath.Join(dir, "b.0.et"), nil, 0o666)
	if _, err := (Chakra{}).Expand(dir); err == nil || !strings.Contains(err.Error(), "several traces") {
		t.Errorf("two traces: %v", err)
	}
	for names, want := range map[string]string{"a.0.et a.2.et": "rank 2, but there are 2 files", "a.0.et b.0.et": "both the file of rank 0"} {
		files := input.NewFiles(context.Background(), strings.Fields(names), nil, nil)
		if _, err := (Chakra{}).ImportFiles(files, format.Options{}, new(formattest.MemorySink)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", names, err)
		}
	}
}

// People have the file of some rank alone: it is read, and said to be no rank 0.
func TestChakraOfOneRank(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.3.et")
	if err := os.WriteFile(path, []byte(formattest.EtFile(formattest.EtNode{Id: 1, Kind: ChakraComp})), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := (Chakra{}).ImportFiles(input.NewFiles(t.Context(), []string{path}, nil, nil), format.Options{}, new(formattest.MemorySink))
	if want := "the file of rank 3, which is processor 0"; err != nil || !strings.Contains(strings.Join(r.Notes, "\n"), want) {
		t.Errorf("notes %q, error %v, want %s", r.Notes, err, want)
	}
}

func FuzzChakra(f *testing.F) {
	f.Add([]byte(formattest.EtFile(formattest.EtNode{Id: 1, Kind: ChakraComp, Micros: 3, Ctrl: []uint64{1}}, formattest.EtNode{Id: 2, Kind: chakraSend, Data: []uint64{1}})))
	f.Add([]byte(formattest.EtFile(formattest.EtNode{Id: 1, Kind: chakraColl, Attrs: map[string]uint64{"comm_type": 7, "comm_size": 9}, Group: "g"})))
	f.Fuzz(func(t *testing.T, file []byte) {
		in, err := input.Open(context.Background(), "-", bytes.NewReader(file), nil)
		if err != nil || in.Container != nil {
			return // FuzzImport looks at containers
		}
		defer in.Close()
		for _, deps := range []string{"data", "all"} {
			if deps == "all" {
				in, _ = input.Open(context.Background(), "-", bytes.NewReader(file), nil)
			}
			sink := new(formattest.MemorySink)
			r, err := Chakra{}.Import(in, format.Options{Set: map[string]string{"deps": deps}}, sink)
			sink.Head = trace.Header{Procs: r.Procs, WorkUnit: trace.WorkPicos}
			if err == nil {
				if err := trace.Check(&sink.Memory); err != nil {
					t.Error(err)
				}
			} else if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 600 {
				t.Errorf("%q", err)
			}
		}
	})
}
