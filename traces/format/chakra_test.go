package format

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

	"google.golang.org/protobuf/encoding/protowire"

	"spoor/traces/trace"
)

// etNode makes the message of a node.
type etNode struct {
	id, kind, micros uint64
	data, ctrl       []uint64
	attrs            map[string]uint64 // numbers by name
	group            string
}

func etVarint(b []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), v)
}

func etBytes(b []byte, number protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), v)
}

func (n etNode) bytes() (b []byte) {
	b = etVarint(b, 1, n.id)
	b = etBytes(b, 2, []byte("a node"))
	b = etVarint(b, 3, n.kind)
	for _, d := range n.ctrl { // not packed
		b = etVarint(b, 4, d)
	}
	var packed []byte
	for _, d := range n.data {
		packed = protowire.AppendVarint(packed, d)
	}
	b = etBytes(b, 5, packed)
	b = etVarint(b, 7, n.micros)
	for _, name := range []string{"is_cpu_op", "comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag"} {
		if v, ok := n.attrs[name]; ok {
			b = etBytes(b, 10, etVarint(etBytes(nil, 1, []byte(name)), []protowire.Number{9, 13, 7}[v%3], v))
		}
	}
	if n.group != "" {
		b = etBytes(b, 10, etBytes(etBytes(nil, 1, []byte("pg_name")), 29, []byte(n.group)))
	}
	return b
}

// etFile is a file of one rank.
func etFile(nodes ...etNode) string {
	b := protowire.AppendBytes(nil, etBytes(nil, 1, []byte("1.0.0")))
	for _, n := range nodes {
		b = protowire.AppendBytes(b, n.bytes())
	}
	return string(b)
}

// importRanks imports files of ranks that are made of these texts.
func importRanks(t *testing.T, o Options, texts ...string) (*trace.Memory, Result, error) {
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
	files := NewFiles(context.Background(), paths, nil, nil)
	defer files.Close()
	sink := new(memorySink)
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
	zero := etFile(
		etNode{id: 7, kind: chakraComp, micros: 3, data: []uint64{9}}, // comes after its need
		etNode{id: 9, kind: chakraMetadata},
		etNode{id: 0, kind: chakraSend, data: []uint64{9, 7, 7}, attrs: map[string]uint64{"comm_dst": 1, "comm_tag": 5, "comm_size": 100}},
		etNode{id: 3, kind: chakraColl, attrs: map[string]uint64{"comm_type": 7, "comm_size": 64}, group: "tp"},
		etNode{id: 4, kind: chakraComp, data: []uint64{3}, ctrl: []uint64{7}})
	one := etFile(
		etNode{id: 1, kind: chakraRecv, attrs: map[string]uint64{"comm_src": 0, "comm_tag": 5, "comm_size": 100}},
		etNode{id: 2, kind: chakraColl, attrs: map[string]uint64{"is_cpu_op": 1}},
		etNode{id: 3, kind: chakraColl, attrs: map[string]uint64{"comm_type": 7, "comm_size": 64}, group: "tp"})
	m, r, err := importRanks(t, Options{}, zero, one)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for p := range 2 {
		for _, e := range events(m, trace.Proc(p)) {
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
		nodes := make([]etNode, n)
		for i := range n {
			nodes[place[i]] = etNode{id: uint64(i), kind: chakraComp, micros: uint64(i)}
			for j := range i {
				if rng.IntN(n) < 2 {
					nodes[place[i]].data = append(nodes[place[i]].data, uint64(j))
				}
			}
		}
		m, _, err := importRanks(t, Options{}, etFile(nodes...))
		if err != nil {
			t.Fatal(err)
		}
		rows := map[int64]int64{} // by microsecond, which is the id
		for row, e := range events(m, 0) {
			id := e.Work / 1e6
			rows[id] = int64(row)
			var want []int64
			for _, d := range nodes[place[id]].data {
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
	comp := func(id uint64, data ...uint64) etNode { return etNode{id: id, kind: chakraComp, data: data} }
	for _, c := range []struct{ text, want string }{
		{"", "GlobalMetadata missing"},
		{`{"workload_graph": []}`, "JSON form"},
		{etFile(comp(1), comp(1)), "node id 1 appears twice"},
		{etFile(comp(1, 2), comp(2, 1), comp(3, 1)), "dependency cycle of nodes 1, 2"},
		{etFile(comp(5, 5)), "dependency cycle of nodes 5"},
		{etFile(etNode{id: 1}), "node 1: its type is INVALID_NODE"},
		{etFile(etNode{id: 1, kind: 8}), "node 1: unknown type 8"},
		{etFile(etNode{id: 1, kind: chakraSend, attrs: map[string]uint64{"comm_dst": 3}}), "its peer is rank 3, but there are files"},
		{etFile(etNode{id: 1, kind: chakraComp, micros: 1 << 60}), "its duration of"},
		{etFile(etNode{id: 1, kind: chakraColl, attrs: map[string]uint64{"comm_type": 10}}), "unknown comm_type 10"},
		{etFile(etNode{id: 1, kind: chakraSend}), "has no receive; --unmatched note"},
		{etFile() + "\x05abc", "message is truncated: 3 bytes of 5"},
		{etFile() + "\x02\x08", "message is truncated"},
		{etFile() + "\x02\x0a\x05", "field 1 is damaged or truncated"},
	} {
		_, _, err := importRanks(t, Options{}, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), ".et: ") || !strings.Contains(err.Error(), "offset ") {
			t.Errorf("%.30q: %v, want %q", c.text, err, c.want)
		}
	}
	_, r, err := importRanks(t, Options{}, etFile(comp(1, 9)))
	if err != nil || !strings.Contains(strings.Join(r.Notes, "; "), "node 1 depends on node 9, which does not exist") {
		t.Errorf("a pruned dependency: %v, %v", r.Notes, err)
	}
	_, _, err = importRanks(t, Options{Set: map[string]string{"deps": "none"}}, etFile())
	wantError(t, "deps", err, "--set deps=none", "choose data or all")
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
		files := NewFiles(context.Background(), strings.Fields(names), nil, nil)
		if _, err := (Chakra{}).ImportFiles(files, Options{}, new(memorySink)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", names, err)
		}
	}
}

// People have the file of some rank alone: it is read, and said to be no rank 0.
func TestChakraOfOneRank(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.3.et")
	if err := os.WriteFile(path, []byte(etFile(etNode{id: 1, kind: chakraComp})), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := (Chakra{}).ImportFiles(NewFiles(t.Context(), []string{path}, nil, nil), Options{}, new(memorySink))
	if want := "the file of rank 3, which is processor 0"; err != nil || !strings.Contains(strings.Join(r.Notes, "\n"), want) {
		t.Errorf("notes %q, error %v, want %s", r.Notes, err, want)
	}
}

// What the README of the samples says, counted independently.
func TestChakraSamples(t *testing.T) {
	in, err := Open(context.Background(), shared(t, "chakra/feeder_test/chakra.0.et.zst"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if im, note, err := Detect(in); err != nil || im.Name() != "chakra" || note == "" {
		t.Errorf("recognised as %v, %q, %v", im, note, err)
	}
	sink := new(memorySink)
	r, err := Chakra{}.Import(in, Options{}, sink)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(r.Counts), "[{COMP_NODE 3643} {COMM_COLL_NODE 21} {data_deps 181878} {ctrl_deps 3664} {comm_size 102441032} {ALL_REDUCE 5} {BROADCAST 2}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, c := range []struct{ name, kinds string }{
		{"ALL_REDUCE", "allreduce"}, {"ALL_GATHER", "allgather"}, {"ALL_TO_ALL", "alltoall"}, {"BARRIER", "barrier"}, {"BROADCAST", "bcast"},
		{"REDUCE_SCATTER", "reduce scatter"}, {"one_comp_node", "compute"}, {"one_metadata_node_all_types", "compute"},
		{"one_remote_mem_load_node", "compute"}, {"one_remote_mem_store_node", "compute"}, {"one_comm_send_node", "send"}, {"one_comm_recv_node", "recv"},
		{"two_comp_nodes_dependent", "compute compute"}, {"two_comp_nodes_independent", "compute compute"},
	} {
		var paths []string
		for rank := range 2 {
			paths = append(paths, shared(t, fmt.Sprintf("chakra/generator/%s.%d.et", c.name, rank)))
		}
		sink := new(memorySink)
		// The samples of messages have a send or a receive, and never both.
		if _, err := (Chakra{}).ImportFiles(NewFiles(context.Background(), paths, nil, nil), Options{Unmatched: true}, sink); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for rank := range 2 {
			var kinds []string
			for _, e := range events(&sink.Memory, trace.Proc(rank)) {
				kinds = append(kinds, e.Kind.String())
			}
			if got := strings.Join(kinds, " "); got != c.kinds {
				t.Errorf("%s: rank %d has %s, want %s", c.name, rank, got, c.kinds)
			}
		}
	}
}

func FuzzChakra(f *testing.F) {
	f.Add([]byte(etFile(etNode{id: 1, kind: chakraComp, micros: 3, ctrl: []uint64{1}}, etNode{id: 2, kind: chakraSend, data: []uint64{1}})))
	f.Add([]byte(etFile(etNode{id: 1, kind: chakraColl, attrs: map[string]uint64{"comm_type": 7, "comm_size": 9}, group: "g"})))
	f.Fuzz(func(t *testing.T, file []byte) {
		in, err := Open(context.Background(), "-", bytes.NewReader(file), nil)
		if err != nil || in.container != nil {
			return // FuzzImport looks at containers
		}
		defer in.Close()
		for _, deps := range []string{"data", "all"} {
			if deps == "all" {
				in, _ = Open(context.Background(), "-", bytes.NewReader(file), nil)
			}
			sink := new(memorySink)
			r, err := Chakra{}.Import(in, Options{Set: map[string]string{"deps": deps}}, sink)
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
