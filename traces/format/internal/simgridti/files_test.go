package simgridti

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

func TestTIFiles(t *testing.T) {
	parts := func(bodies ...string) (files map[string]string) {
		files = map[string]string{}
		for rank, body := range bodies {
			lines := strings.Split(formattest.TiOf(bodies...), "\n")
			mine := slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, fmt.Sprint(rank)+" ") })
			_ = body
			files[fmt.Sprintf("files/1.5_rank-%d.txt", rank+1)] = strings.Join(mine, "\n") + "\n"
		}
		return files
	}
	bodies := make([]string, 12)
	for i := range bodies {
		bodies[i] = fmt.Sprintf("irecv %d 3 8; send %d 3 8; waitall; gatherv %d%s", (i+11)%12, (i+1)%12, i, strings.Repeat(" 1", 12))
	}
	files := parts(bodies...)
	list := ""
	for i := range bodies {
		list += fmt.Sprintf("files/1.5_rank-%d.txt\n", i+1)
	}
	files["trace.txt"], files["names"] = "# ranks\r\n"+list, list
	dir := TiWrite(t, files)
	expand := func(dir string) []string {
		paths, err := SimGridTI{}.Expand(dir)
		if err != nil || len(paths) == 0 {
			t.Fatal(paths, err)
		}
		return paths
	}
	want, _ := TiMust(t, formattest.TiOf(bodies...), format.Options{})
	for what, paths := range map[string][]string{
		"a list": {filepath.Join(dir, "names")}, "a folder with a list": expand(dir), "a folder of ranks": expand(filepath.Join(dir, "files")),
	} {
		t.Run(what, func(t *testing.T) {
			m, r, err := TiFiles(t, format.Options{}, paths...)
			if err != nil {
				t.Fatalf("%v", err)
			}
			SameEvents(t, what, m, want)
			if r.Procs != 12 || r.Counts[0] != (format.Count{Name: "init", N: 12}) {
				t.Errorf("%+v", r)
			}
		})
	}
	if paths := expand(filepath.Join(dir, "files")); !strings.HasSuffix(paths[9], "rank-10.txt") {
		t.Errorf("not in the order of numbers: %q", paths)
	}
	// Files may be given in any order: the rank is that of their lines.
	paths := expand(filepath.Join(dir, "files"))
	slices.Reverse(paths)
	if m, _, err := TiFiles(t, format.Options{}, paths...); err != nil {
		t.Error(err)
	} else {
		SameEvents(t, "reversed files", m, want)
	}
}

func TestTIFileErrors(t *testing.T) {
	dir := TiWrite(t, map[string]string{
		"0":         "0 init\n0 send 1 3 8\n0 finalize\n",
		"1":         "1 init\n1 recv 0 3 8\n1 finalize\n",
		"cut":       "1 init\n1 recv 0 3 8\n",
		"two":       "1 init\n1 recv 0 3 8\n0 compute 5\n1 finalize\n",
		"far":       "1 init\n1 recv 7 3 8\n1 finalize\n",
		"nothing":   "# no action\n",
		"one/list":  "../all\n",
		"all":       formattest.TiOf("compute 5"),
		"swapped":   "1\n0\n",
		"bad":       "names\n0\nnope\nfiles\n",
		"empty":     "\n\n",
		"x/rank-1":  formattest.TiOf(""),
		"x/rank-01": formattest.TiOf(""),
		"y/rank-1":  "not ours",
	})
	in := func(names ...string) (paths []string) {
		for _, n := range names {
			paths = append(paths, filepath.Join(dir, n))
		}
		return paths
	}
	for _, c := range []struct {
		paths []string
		want  []string
	}{
		{in("0", "0"), []string{"0:1:", "rank 0 is in two files"}},
		{in("0", "cut"), []string{"cut:2:", "without finalize of rank 1"}},
		{in("0", "far"), []string{"far:2:", "partner 7, but the trace has 2 ranks"}},
		{in("1", "far"), []string{"far:1:", "rank 1 is in two files"}},
		{in("0", "nothing"), []string{"nothing:1:", "no actions"}},
		{in("0", "empty"), []string{"empty:", "no actions"}},
		{in("0", "missing"), []string{"missing", "no such file"}},
		{in("1", "0", "all"), []string{"all:1:", "in two files"}},
		{in("bad"), []string{"bad:1:", `the listed file does not exist: "names"`, `also line 3: "nope"`, `also line 4: "files"`}},
	} {
		_, _, err := TiFiles(t, format.Options{}, c.paths...)
		tiWantError(t, fmt.Sprint(c.paths), err, c.want...)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("swapped", "./1\n./0\n") // 1 and 0 alone would be a rank without action
	_, _, err := TiFiles(t, format.Options{}, in("swapped")...)
	tiWantError(t, "swapped", err, "1:1:", "rank 1 in the file of rank 0")
	write("folder", "./one\n")
	_, _, err = TiFiles(t, format.Options{}, in("folder")...)
	tiWantError(t, "folder", err, "folder:1:", "is not a plain file")
	_, _, err = TiFiles(t, format.Options{Set: map[string]string{"ranks": "3"}}, in("0", "1")...)
	tiWantError(t, "ranks=3", err, "2 files of one rank each")
	if m, _, err := TiFiles(t, format.Options{}, in("one/list")...); err != nil || len(formattest.Events(m, 0)) != 1 {
		t.Errorf("a list of one file: %v", err)
	}
	if _, r, err := TiFiles(t, format.Options{}, in("0", "two")...); err != nil || !strings.Contains(strings.Join(r.Notes, " "), "1 line of another rank") {
		t.Errorf("a line of another rank: %v, %q", err, r.Notes)
	}
	_, err = SimGridTI{}.Expand(filepath.Join(dir, "x"))
	tiWantError(t, "rank-1 and rank-01", err, "both rank-1", "two traces")
	if paths, err := (SimGridTI{}).Expand(filepath.Join(dir, "y")); paths != nil || err != nil {
		t.Errorf("a folder of something else: %q, %v", paths, err)
	}
}

// Every fact of the samples' README holds.
func TestTISamples(t *testing.T) {
	dir := formattest.Shared(t, "simgrid-ti")
	common := map[string]uint64{"allgather": 4, "allgatherv": 4, "allreduce": 4, "alltoall": 4, "alltoallv": 4, "barrier": 4, "bcast": 4, "exscan": 4, "finalize": 4,
		"gather": 4, "gatherv": 4, "init": 4, "irecv": 13, "isend": 13, "recv": 1, "reduce": 4, "reducescatter": 4, "scan": 4, "scatter": 4, "scatterv": 4, "send": 1,
		"sendRecv": 4, "test": 1, "wait": 2, "waitall": 12}
	for _, c := range []struct {
		paths   []string
		differs map[string]uint64
		actions uint64
		flops   string
	}{
		{[]string{"m_cc/files/rank-0.txt", "m_cc/files/rank-1.txt", "m_cc/files/rank-2.txt", "m_cc/files/rank-3.txt"}, map[string]uint64{"bcast": 8, "compute": 116}, 235, "11.3998"},
		{[]string{"m_cc/trace.txt"}, map[string]uint64{"bcast": 8, "compute": 116}, 235, "11.3998"},
		{[]string{"replayable"}, map[string]uint64{"compute": 109, "sendRecv": 0}, 220, "11.8003"},
		{[]string{"call_location"}, map[string]uint64{"compute": 115, "location": 230}, 460, "13.8556"},
		{[]string{"one_file/all_ranks.txt"}, map[string]uint64{"compute": 108}, 223, "11.1504"},
	} {
		t.Run(fmt.Sprint(c.paths), func(t *testing.T) {
			var paths []string
			for _, p := range c.paths {
				path := filepath.Join(dir, p)
				if these, err := (SimGridTI{}).Expand(path); err == nil {
					paths = append(paths, these...)
				} else {
					paths = append(paths, path)
				}
			}
			m, r, err := TiFiles(t, format.Options{}, paths...)
			if err != nil {
				t.Fatalf("%s: %v", c.paths, err)
			}
			if err := trace.Check(m); err != nil || r.Procs != 4 {
				t.Errorf("%s: %d ranks, %v", c.paths, r.Procs, err)
			}
			total := uint64(0)
			for _, count := range r.Counts {
				want, other := c.differs[count.Name]
				if !other {
					want = common[count.Name]
				}
				if total += count.N; count.N != want {
					t.Errorf("%s: %d times %s, want %d", c.paths, count.N, count.Name, want)
				}
			}
			if total != c.actions {
				t.Errorf("%s: %d actions, want %d", c.paths, total, c.actions)
			}
			var flops float64 // the README has six digits
			if _, err := fmt.Sscanf(r.Facts[0], "computes %g flop", &flops); err != nil || fmt.Sprintf("%.6g", flops) != c.flops || r.Facts[1] != "send and isend 19284 bytes" {
				t.Errorf("%s: %q, want %s flop and 19284 bytes", c.paths, r.Facts, c.flops)
			}
			text, _ := tiExport(t, m, nil)
			again, _ := TiMust(t, text, format.Options{})
			SameEvents(t, "round trip of "+c.paths[0], again, m)
		})
	}
}

// Every malformed file gets the complaint that the catalogue of them says.
func TestTIMalformed(t *testing.T) {
	dir := filepath.Join(formattest.Shared(t, "malformed"), "message")
	for _, c := range []struct {
		file string
		want []string
	}{
		{"m24_ti_unknown_action.txt", []string{":2: ", `unknown action "frobnicate"`}},
		{"m25_ti_missing_args.txt", []string{":2: ", "send has 2 values, needs partner, tag, size"}},
		{"m26_ti_bad_datatype.txt", []string{":2: ", `datatype id "99"`, "0 to 59"}},
		{"m27_ti_negative_flops.txt", []string{":2: ", "negative amount of flops"}},
		{"m28_ti_nan.txt", []string{":2: ", "amount of flops", "not finite"}},
		{"m29_ti_rank_range.txt", []string{":3: ", "partner 5, but the trace has 2 ranks"}},
		{"m30_ti_no_init.txt", []string{":1: ", "first action of rank 0 is not init"}},
		{"m31_ti_no_finalize.txt", []string{":2: ", "end of", "without finalize", "truncated"}},
		{"m32_ti_after_finalize.txt", []string{":3: ", "after finalize"}},
		{"m33_ti_wait_without_request.txt", []string{":2: ", "wait matches no open irecv or isend"}},
		{"m34_ti_collective_mismatch.txt", []string{":4: ", "rank 0 collective #1 is barrier, rank 1 has bcast"}},
		{"m35_ti_vector_len.txt", []string{":3: ", "recvcounts has 1 entr", "communicator has 2 ranks"}},
		{"m37_ti_wildcard_minus333.txt", []string{":4: ", "without finalize of rank 0, 1", "-333", "line 4"}},
		{"m38_ti_list_missing_file.txt", []string{":1: ", "listed file does not exist", "line 2", `"files/nope.txt"`}},
	} {
		_, _, err := TiFiles(t, format.Options{}, filepath.Join(dir, c.file))
		tiWantError(t, c.file, err, append(c.want, c.file)...)
	}
	_, r, err := TiFiles(t, format.Options{}, filepath.Join(dir, "m36_ti_no_final_newline.txt"))
	if err != nil || !strings.Contains(strings.Join(r.Notes, " "), "read here, dropped by SimGrid; it may be truncated (line 3)") {
		t.Errorf("m36: %v, %q", err, r.Notes)
	}
}
