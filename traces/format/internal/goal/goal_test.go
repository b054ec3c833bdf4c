package goal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func importGoal(t *testing.T, file string, o format.Options) (*trace.Memory, format.Result) {
	t.Helper()
	m, r, err := formattest.ImportBytes(Goal{}, []byte(file), o)
	if err != nil {
		t.Fatalf("%.80q: %v", file, err)
	}
	m.Head.WorkUnit = trace.WorkPicos
	return m, r
}

// goalRow is one event, to compare: kind, peer, tag, bytes or work, needs.
func goalRows(m *trace.Memory, p trace.Proc) (all []string) {
	for _, e := range formattest.Events(m, p) {
		needs := "previous"
		if e.Needs != nil {
			needs = fmt.Sprint(e.Needs)
		}
		all = append(all, fmt.Sprintf("%v %d %d %d %s", e.Kind, e.Peer, e.Tag, e.Bytes+e.Work, needs))
	}
	return all
}

func TestGoalText(t *testing.T) {
	want := [][]string{
		{"compute -1 -1 100000 []", "marker -1 -1 0 [0]", "send 1 5 1024 [1]", "recv -1 -1 8 [0 1]", "compute -1 -1 7000 []"},
		{"recv 0 5 1024 []", "compute -1 -1 200000 [0]", "send 0 0 8 [1]"},
		nil,
	}
	for name, text := range map[string]string{
		"plain":            formattest.GoalExample,
		"carriage returns": strings.ReplaceAll(formattest.GoalExample, "\n", "\r\n"),
		"byte order mark":  "\xef\xbb\xbf" + formattest.GoalExample,
		"no line end":      strings.TrimSuffix(formattest.GoalExample, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			m, r := importGoal(t, text, format.Options{Unmatched: true, Set: serialStreams})
			for p := range want {
				if got := goalRows(m, trace.Proc(p)); !slices.Equal(got, want[p]) {
					t.Errorf("rank %d: %q, want %q", p, got, want[p])
				}
			}
			counts := []format.Count{{Name: "rank", N: 3}, {Name: "calc", N: 3}, {Name: "send", N: 2}, {Name: "recv", N: 2}, {Name: "requires", N: 4}, {Name: "irequires", N: 1}}
			if r.Procs != 3 || !slices.Equal(r.Counts, counts) {
				t.Errorf("%d ranks, counts %v, want %v", r.Procs, r.Counts, counts)
			}
			for _, note := range []string{"calc 1 counts as 1ns", "1 irequires", "2 operations on cpus other than 0, up to cpu 3",
				"1 operations on network interfaces other than nic 0, up to nic 2"} {
				if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, note) }) {
					t.Errorf("notes %q, want %q", r.Notes, note)
				}
			}
		})
	}
}

var serialStreams = map[string]string{"streams": "serial"}

// Streams of a rank would run side by side, so they are refused unless the user lets
// them run one after the other. A rank on one cpu, whichever, has one stream.
func TestGoalStreams(t *testing.T) {
	two := "num_ranks 2\nrank 0 {\na: calc 10000 cpu 0\nb: calc 10000 cpu 1\nc: send 1b to 1 tag 0 cpu 0\nc requires a\nc requires b\n}\nrank 1 {\nr: recv 1b from 0 tag 0 cpu 0\n}\n"
	_, _, err := formattest.ImportText(Goal{}, two, format.Options{})
	formattest.WantError(t, "two cpus", err, "standard input:4: ", "cpu 1 runs beside cpu 0")
	formattest.WantError(t, "two cpus", err, "standard input:4: ", "--set streams=serial")
	m, r := importGoal(t, two, format.Options{Set: serialStreams})
	if notes := strings.Join(r.Notes, "; "); len(formattest.Events(m, 0)) != 3 || !strings.Contains(notes, "1 operations on cpus other than 0, up to cpu 1: a trace has one processor per rank, so that they run one after the other") {
		t.Errorf("notes %q", notes)
	}
	nics := inRank0("send 1b to 0 nic 1\nrecv 1b from 0 nic 2")
	_, _, err = formattest.ImportText(Goal{}, nics, format.Options{})
	formattest.WantError(t, "two interfaces", err, "standard input:4: ", "nic 2 runs beside nic 1")
	importGoal(t, inRank0("calc 5 cpu 3\nsend 1b to 0 cpu 3 nic 1\nrecv 1b from 0 cpu 3 nic 1"), format.Options{})
	if _, _, err := formattest.ImportText(Goal{}, two, format.Options{Set: map[string]string{"streams": "frob"}}); err == nil || !strings.Contains(err.Error(), "choose refuse or serial") {
		t.Errorf("a wrong setting: %v", err)
	}
	file := twoStreams(t, two)
	_, _, err = formattest.ImportBytes(Goal{}, file, format.Options{})
	formattest.WantError(t, "two cpus, binary", err, "standard input: record 1, ", "cpu 1 runs beside cpu 0")
	if _, _, err := formattest.ImportBytes(Goal{}, file, format.Options{Set: serialStreams}); err != nil {
		t.Error(err)
	}
}

// twoStreams is a schedule in binary, with the second operation of rank 0 on cpu 1.
func twoStreams(t *testing.T, text string) []byte {
	t.Helper()
	m, _ := importGoal(t, text, format.Options{Set: serialStreams})
	got, _ := exportGoal(t, m, "binary=true")
	file := []byte(got)
	start := int(binary.LittleEndian.Uint64(file[goalTable:])) + 8
	roots := int(binary.LittleEndian.Uint32(file[start+4:]))
	file[start+8+4*roots+goalNode+goalCPU] = 1
	return file
}

func TestGoalUnit(t *testing.T) {
	m, _ := importGoal(t, "num_ranks 1\nrank 0 {\ncalc 3\n}\n", format.Options{Set: map[string]string{"unit": "2.5us"}})
	if got := formattest.Events(m, 0)[0].Work; got != 7500000 {
		t.Errorf("calc 3 is %d ps", got)
	}
	for _, bad := range []string{"", "1", "0ns", "0.5ps", "-1ns", "1e9s", "1.0001ps"} {
		t.Run(bad, func(t *testing.T) {
			if _, _, err := formattest.ImportText(Goal{}, formattest.GoalExample, format.Options{Set: map[string]string{"unit": bad}}); err == nil || !strings.Contains(err.Error(), "--set unit") {
				t.Errorf("unit %q: %v", bad, err)
			}
		})
	}
}

// A schedule of 2 ranks; the first line of body is line 3.
func inRank0(body string) string { return "num_ranks 2\nrank 0 {\n" + body + "\n}\nrank 1 {\n}\n" }

func TestBadGoal(t *testing.T) {
	for _, c := range []struct {
		text   string
		line   int
		reason string
	}{
		{"", 1, "empty"},
		{"// nothing\n", 1, "num_ranks is missing"},
		{"rank 0 {\n}\n", 1, "before num_ranks"},
		{"l1: calc 5\n", 1, "num_ranks is missing"},
		{"num_ranks\n", 1, "ends before the number of ranks"},
		{"num_ranks 0\n", 1, "0 ranks"},
		{"num_ranks 1048577\n", 1, "1048577 ranks"},
		{"num_ranks 1\nnum_ranks 1\n", 2, "num_ranks appears twice"},
		{"num_ranks 1\nrank 1 {\n}\n", 2, "rank 1, but num_ranks is 1"},
		{"num_ranks 2\nrank 1 {\n}\n", 2, "rank 1 comes before rank 0"},
		{"num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", 4, "rank 0 has two blocks"},
		{"num_ranks 2\nrank 0 {\nrank 1 {\n}\n", 3, "the block of rank 0, which begins at line 2, is not closed"},
		{"num_ranks 2\nrank 0 {\n}\n", 3, "after the blocks of 1 of 2 ranks"},
		{"num_ranks 1\nrank 0 {\ncalc 5\n", 3, "end of file: the block of rank 0"},
		{"num_ranks 1\nrank 0\n", 2, `expected "{"`},
		{"num_ranks 1\n}\n", 2, "no block is open"},
		{"num_ranks 1\ncalc 5\n", 2, "outside the blocks"},
		{"num_ranks 1\nrank 0 {\n}\nl1: calc 5\n", 4, "outside the blocks"},
		{inRank0("l1: calc 5\n/* l2: calc 6"), 4, "comment that begins here is not closed"},
		{inRank0("l1: calc 5\nl1: calc 6"), 4, `label "l1" is defined twice, first at line 3`},
		{inRank0("l1: calc 5\nl1 requires l9\nl8 requires l1"), 4, `label "l9" is not defined in the block of rank 0`},
		{inRank0("l1: calc 5\nl1 irequires l9"), 4, `label "l9" is not defined`},
		{inRank0("l1 requires l1\nl1: calc 5"), 3, `"l1" requires itself`},
		{inRank0("a: calc 1\nb: calc 2\nc: calc 3\na requires b\nb irequires c\nc requires a"), 8, `"a" requires "b" requires "c" requires "a"`},
		{inRank0("send: calc 5"), 3, "size is not a number"},
		{inRank0("l1: calc 5\nl1 requires calc"), 4, "keyword"},
		{inRank0("l1: frob 5"), 3, "unknown operation"},
		{inRank0("l1: put 5b to 1"), 3, "LogGOPSim 2"},
		{inRank0("append 5b to priority_list"), 3, "LogGOPSim 2"},
		{inRank0("l1 frobs l2"), 3, `expected ":", requires or irequires`},
		{inRank0("l1"), 3, `expected ":", requires or irequires`},
		{inRank0("l1 requires"), 3, "expected the label"},
		{inRank0("l1: calc 5\nl1 requires l1 l1"), 4, "text after the statement"},
		{inRank0("1l: calc 5"), 3, "begins with a letter"},
		{inRank0("calc"), 3, "ends before the time"},
		{inRank0("calc -5"), 3, "a negative time"},
		{inRank0("calc x"), 3, "not a number"},
		{inRank0("calc 5.5"), 3, "expected the end of the line"},
		{inRank0("calc 5 nic 1"), 3, "calc has no nic"},
		{inRank0("calc 5 cpu 256"), 3, "cpu 256 is over 255"},
		{inRank0("calc 99999999999999999999"), 3, "over 64 bits"},
		{inRank0("calc 9999999999999999999"), 3, "over 106 days"},
		{inRank0("send 18446744073709551615b to 1"), 3, "over 2^63-1 bytes"},
		{inRank0("send -5b to 1"), 3, "a negative size"},
		{inRank0("send 5 to 1"), 3, `expected "b" after the size`},
		{inRank0("send 5b from 1"), 3, `send takes "to"`},
		{inRank0("recv 5b to 1"), 3, `recv takes "from"`},
		{inRank0("send 5b to 7"), 3, "peer 7, but num_ranks is 2"},
		{inRank0("send 5b to -1"), 3, "a negative rank"},
		{inRank0("recv 5b from -2"), 3, "a negative rank"},
		{inRank0("send 5b to 1 tag -1"), 3, "a negative tag"},
		{inRank0("send 5b to 1 tag 2147483648"), 3, "tag 2147483648 is over 2147483647"},
		{inRank0("send 5b to 1 nic 0 tag 1"), 3, "in this order"},
		{inRank0("send 5b to 1 tag 1 tag 1"), 3, "each once"},
		{inRank0("a: calc 1\n\x00\x00\x00"), 4, "3 NUL bytes"},
		{"\xff\xfen\x00", 1, "UTF-16"},
	} {
		_, _, err := formattest.ImportText(Goal{}, c.text, format.Options{})
		formattest.WantError(t, fmt.Sprintf("%.60q", c.text), err, fmt.Sprintf("standard input:%d: ", c.line), c.reason)
	}
}

// goalFile builds the binary form, to be damaged.
type goalFile struct{ b []byte }

func (f *goalFile) u32(values ...uint32) {
	for _, v := range values {
		f.b = binary.LittleEndian.AppendUint32(f.b, v)
	}
}

func (f *goalFile) node(waits uint32, kind byte, peer uint32, size uint64, tag uint32, ends, endsAt, starts, startsAt uint32) {
	f.u32(waits)
	f.b = append(f.b, kind)
	f.u32(peer)
	f.b = binary.LittleEndian.AppendUint64(f.b, size)
	f.u32(tag)
	f.b = append(f.b, 0, 0)
	f.u32(ends, endsAt, starts, startsAt)
}

// SmallGoalFile is two ranks: a calc, then a send; a receive of anything, which
// another calc follows.
func SmallGoalFile() []byte {
	f := new(goalFile)
	f.b = binary.LittleEndian.AppendUint64(nil, goalCookie)
	f.u32(2)
	f.b = append(f.b, 0, 0)
	const first = goalTable - goalBase + 2*goalRange
	const bytes0 = 8 + 4 + 2*goalNode + 4
	for _, at := range []uint64{first, first + bytes0, first + bytes0, first + 2*bytes0} {
		f.b = binary.LittleEndian.AppendUint64(f.b, at)
	}
	f.u32(2, 1, 0)
	f.node(0, 3, 0, 100, 0, 1, 0, 0, 1)
	f.node(1, 1, 1, 8, 7, 0, 1, 0, 1)
	f.u32(1)
	f.u32(2, 1, 1)
	f.node(1, 3, 0, 5, 0, 0, 0, 0, 0)
	f.node(0, 2, goalAny, 8, goalAny, 0, 0, 1, 0)
	f.u32(0)
	return f.b
}

func TestGoalBinary(t *testing.T) {
	m, r := importGoal(t, string(SmallGoalFile()), format.Options{})
	want := [][]string{{"compute -1 -1 100000 []", "send 1 7 8 [0]"}, {"compute -1 -1 5000 [1]", "marker -1 -1 0 []", "recv -1 -1 8 [1]"}}
	for p := range want {
		if got := goalRows(m, trace.Proc(p)); !slices.Equal(got, want[p]) {
			t.Errorf("rank %d: %q, want %q", p, got, want[p])
		}
	}
	if want := []format.Count{{Name: "rank", N: 2}, {Name: "calc", N: 2}, {Name: "send", N: 1}, {Name: "recv", N: 1}, {Name: "requires", N: 1}, {Name: "irequires", N: 1}}; !slices.Equal(r.Counts, want) {
		t.Errorf("counts %v, want %v", r.Counts, want)
	}
}

// Ranks may lie in any order, with anything between them.
func TestGoalBinaryInAnyOrder(t *testing.T) {
	b := SmallGoalFile()
	first, second := goalTable+2*goalRange, goalTable+2*goalRange+8+4+2*goalNode+4
	out := slices.Concat(b[:first], b[second:], []byte("gap"), b[first:second], []byte("tail"))
	for i, at := range []int{first + len(b) - second + 3, len(out) - 4, first, first + len(b) - second} {
		binary.LittleEndian.PutUint64(out[goalTable+8*i:], uint64(at-goalBase))
	}
	want, _ := importGoal(t, string(b), format.Options{})
	got, r := importGoal(t, string(out), format.Options{})
	for p := range trace.Proc(2) {
		if !slices.Equal(goalRows(got, p), goalRows(want, p)) {
			t.Errorf("rank %d: %q, want %q", p, goalRows(got, p), goalRows(want, p))
		}
	}
	if !slices.Contains(r.Notes, "4 bytes after the last rank ignored") {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestBadGoalBinary(t *testing.T) {
	const rank0 = goalTable + 2*goalRange
	const node0 = rank0 + 12
	put := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
	}
	for _, c := range []struct {
		damage func(b []byte) []byte
		want   string
	}{
		{put(0, goalUsedCookie), "record 0, offset 0: cookie 2342"},
		{put(8, 0), "offset 8: 0 ranks"},
		{put(8, 1<<31), "offset 8: 2147483648 ranks"},
		{put(8, 1<<20), "within the jump table"},
		{func(b []byte) []byte { return b[:10] }, "within the header"},
		{func(b []byte) []byte { return b[:len(b)-1] }, "record 1, offset 30: jump table: the range of rank 1 ends at offset"},
		{put(goalTable, 0), "record 0, offset 14: jump table: rank 0 begins at 0, before the end"},
		{put(goalTable+8, 40), "which is too short"},
		{put(goalTable+12, 0xffffffff), "past the end of any file"},
		{put(goalTable+8, 160), "rank 1 lies within rank 0"},
		{put(rank0, 3), "more than its 94 bytes can hold"},
		{put(rank0+4, 1<<31), "more than its 94 bytes can hold"},
		{put(rank0+8, 1), "cannot be a root"},
		{put(rank0+8, 9), "cannot be a root"},
		{put(node0, 1), "offset 58: rank 0: operation 0 should wait for 1 others, but has 0 dependencies"},
		{func(b []byte) []byte { b[node0+goalType] = 9; return b }, fmt.Sprintf("offset %d: rank 0: operation type 9", node0+goalType)},
		{func(b []byte) []byte { b[node0+goalType] = 0; return b }, "operation type 0"},
		{put(node0+goalSize+4, 1<<31), "takes over 106 days"},
		{put(node0+goalEnds, 2), "2 dependencies from 0 of the appendix, which has 1"},
		{put(node0+goalEnds, 0xffffffff), "of the appendix, which has 1"},
		{put(node0+goalEnds+4, 0xffffffff), "of the appendix, which has 1"},
		{put(node0+goalEnds, 0), "belong to no operation"},
		{put(node0+goalNode+goalPeer, 2), "peer 2, but the file has 2 ranks"},
		{put(node0+goalNode+goalPeer, goalAny), "peer 4294967295"},
		{put(node0+goalNode+goalTag, goalAny), "tag 4294967295 is over"},
		{put(node0+goalNode+goalSize+4, 1<<31), "over 2^63-1"},
		{put(node0+2*goalNode, 2), "operation 2 depends on it, but there are only 2"},
		{put(node0+2*goalNode, 0), "operation 0 should wait for 0 others, but has 1"},
	} {
		_, _, err := formattest.ImportBytes(Goal{}, c.damage(SmallGoalFile()), format.Options{})
		formattest.WantError(t, c.want, err, "standard input: ", c.want)
	}
	ring := SmallGoalFile()
	for _, damage := range []func([]byte) []byte{put(node0, 1), put(node0+goalNode, 0), put(node0+2*goalNode, 0), put(rank0+8, 1)} {
		ring = damage(ring)
	}
	_, _, err := formattest.ImportBytes(Goal{}, ring, format.Options{})
	formattest.WantError(t, "circle", err, "standard input: record 0, offset 58: ", "rank 0: operation 0 requires itself")
}

// The facts are those of the README of the samples.
func TestGoalSamples(t *testing.T) {
	dir := formattest.Shared(t, "goal")
	for _, c := range []struct {
		name   string
		counts []format.Count
		bytes  int64
		edges  int
	}{
		{"allreduce_recdoub_4", []format.Count{{Name: "rank", N: 4}, {Name: "calc", N: 0}, {Name: "send", N: 16}, {Name: "recv", N: 16}, {Name: "requires", N: 12}, {Name: "irequires", N: 0}}, 24576, 12},
		{"binomialtreebcast_4", []format.Count{{Name: "rank", N: 4}, {Name: "calc", N: 0}, {Name: "send", N: 3}, {Name: "recv", N: 3}, {Name: "requires", N: 1}, {Name: "irequires", N: 0}}, 12288, 1},
		{"binomialtreereduce_8", []format.Count{{Name: "rank", N: 8}, {Name: "calc", N: 0}, {Name: "send", N: 7}, {Name: "recv", N: 7}, {Name: "requires", N: 4}, {Name: "irequires", N: 0}}, 7168, 4},
		{"handmade_all_syntax", []format.Count{{Name: "rank", N: 3}, {Name: "calc", N: 3}, {Name: "send", N: 2}, {Name: "recv", N: 2}, {Name: "requires", N: 3}, {Name: "irequires", N: 1}}, 1032, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rows [2][][]string
			for i, suffix := range []string{".goal", ".bin"} {
				file, err := os.ReadFile(filepath.Join(dir, c.name+suffix))
				if err != nil {
					t.Fatal(err)
				}
				m, r := importGoal(t, string(file), format.Options{Unmatched: true, Set: serialStreams})
				if !slices.Equal(r.Counts, c.counts) {
					t.Errorf("%s%s: counts %v, want %v", c.name, suffix, r.Counts, c.counts)
				}
				var sent int64
				edges := 0
				for p := range r.Procs {
					for _, e := range formattest.Events(m, trace.Proc(p)) {
						edges += len(e.Needs)
						if e.Kind == trace.Send {
							sent += e.Bytes
						}
					}
					rows[i] = append(rows[i], goalRows(m, trace.Proc(p)))
				}
				if sent != c.bytes || edges != c.edges {
					t.Errorf("%s%s: %d bytes sent, %d edges; want %d, %d", c.name, suffix, sent, edges, c.bytes, c.edges)
				}
			}
			if !slices.EqualFunc(rows[0], rows[1], slices.Equal) {
				t.Errorf("text and binary differ: %q, %q", rows[0], rows[1])
			}
		})
	}
}

func TestMalformedGoal(t *testing.T) {
	dir := filepath.Join(formattest.Shared(t, "malformed"), "message")
	for _, c := range []struct{ file, place, reason string }{
		{"m01_empty.goal", "standard input:1: ", "empty"},
		{"m02_no_num_ranks.goal", "standard input:1: ", "before num_ranks"},
		{"m04_peer_out_of_range.goal", "standard input:3: ", "peer 7, but num_ranks is 2"},
		{"m05_undefined_label.goal", "standard input:4: ", `label "l9" is not defined`},
		{"m06_duplicate_label.goal", "standard input:4: ", `label "l1" is defined twice`},
		{"m08_unclosed.goal", "standard input:3: ", "end of file: the block of rank 0"},
		{"m10_duplicate_rank.goal", "standard input:4: ", "rank 0 has two blocks"},
		{"m11_negative_size.goal", "standard input:3: ", "negative size"},
		{"m12_size_overflow.goal", "standard input:3: ", "over 64 bits"},
		{"m14_no_b.goal", "standard input:3: ", `expected "b" after the size`},
		{"m15_send_from.goal", "standard input:3: ", `send takes "to"`},
		{"m16_unmatched_send.goal", "standard input:3: ", "send from rank 0 to rank 1 with tag 3 (5 bytes) has no receive"},
		{"m17_unmatched_recv.goal", "standard input:5: ", "has no send"},
		{"m18_size_mismatch.goal", "standard input:6: ", "9"},
		{"m19_open_comment.goal", "standard input:1: ", "not closed"},
		{"m20_goalbin_magic.bin", "standard input: record 0, offset 0: ", "cookie 2342"},
		{"m21_goalbin_cut.bin", "standard input: record 1, offset 30: ", "jump table: the range of rank 1 ends"},
		{"m23_goalbin_bad_type.bin", "standard input: record 0, offset 166: ", "operation type 9"},
	} {
		t.Run(c.file, func(t *testing.T) {
			file, err := os.ReadFile(filepath.Join(dir, c.file))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = formattest.ImportBytes(Goal{}, file, format.Options{})
			formattest.WantError(t, c.file, err, c.place, c.reason)
		})
	}
}

// ringSchedule has in every rank steps of a calc, an exchange with the neighbours,
// and dependencies between them, as schedgen writes rings.
func ringSchedule(ranks, steps int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "num_ranks %d\n", ranks)
	for r := range ranks {
		fmt.Fprintf(&b, "\nrank %d {\n", r)
		for s := range steps {
			n := 3*s + 1
			fmt.Fprintf(&b, "l%d: calc %d\n", n, 100+(s*s+r)%977)
			if s > 0 {
				fmt.Fprintf(&b, "l%d requires l%d\nl%d requires l%d\n", n, n-1, n, n-2)
			}
			fmt.Fprintf(&b, "l%d: send %db to %d tag %d\nl%d requires l%d\n", n+1, 1024+8*(s%64), (r+1)%ranks, s%4, n+1, n)
			fmt.Fprintf(&b, "l%d: recv %db from %d tag %d\n", n+2, 1024+8*(s%64), (r+ranks-1)%ranks, s%4)
		}
		fmt.Fprintf(&b, "}\n")
	}
	return b.Bytes()
}

func BenchmarkImportGoal(b *testing.B) {
	const ranks, steps = 16, 20000
	text := ringSchedule(ranks, steps)
	b.Run("text", func(b *testing.B) { formattest.BenchmarkRecords(b, Goal{}, text, 3*ranks*steps, format.Options{}) })
	m, _, err := formattest.ImportText(Goal{}, string(text), format.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m.Head.WorkUnit = trace.WorkPicos
	file, _ := exportGoal(b, m, "binary=true")
	b.Run("binary", func(b *testing.B) {
		formattest.BenchmarkRecords(b, Goal{}, []byte(file), 3*ranks*steps, format.Options{})
	})
}

// Needs that are empty come back from a file as they were, not as the previous row.
func TestGoalThroughStore(t *testing.T) {
	want, r := importGoal(t, formattest.GoalExample, format.Options{Set: serialStreams})
	prefix := filepath.Join(t.TempDir(), "x")
	w, err := store.Create(prefix, want.Head)
	if err != nil {
		t.Fatal(err)
	}
	for p := range want.EventsOf {
		if err := w.Events(&want.EventsOf[p]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(want.Head); err != nil {
		t.Fatal(err)
	}
	stored, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	for p := range trace.Proc(r.Procs) {
		got := formattest.Tell(trace.WorkPicos, make([][]trace.Event, r.Procs)...)
		for b, err := range stored.Events(p) {
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range b.Rows {
				e.Needs = slices.Clone(e.Needs)
				got.EventsOf[p].Rows = append(got.EventsOf[p].Rows, e)
			}
		}
		if !slices.Equal(goalRows(got, p), goalRows(want, p)) {
			t.Errorf("rank %d: %q, want %q", p, goalRows(got, p), goalRows(want, p))
		}
	}
}
