package main

import (
	"context"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"spoor/traces/stage"
	"spoor/traces/testsize"
)

// complaint is what import says of a malformed sample: the format it is read as, and
// what the only line of the error, or a note if it is tolerated, must say.
type complaint struct {
	from      string
	tolerated bool
	says      []string
}

func fails(from string, says ...string) complaint { return complaint{from, false, says} }

func notes(from string, says ...string) complaint { return complaint{from, true, says} }

// complaints has every file of the index of malformed samples: the places and the
// reasons that the index gives, in the words of this program.
var complaints = map[string]complaint{
	"address/a01_empty.log":                        fails("lackey", ":1: ", "the file is empty", "banner"),
	"address/a02_banner_only.log":                  fails("lackey", ":2: ", "end of file after no records", "--trace-mem=yes"),
	"address/a03_bom.log":                          notes("lackey", "byte order mark at the start"),
	"address/a04_utf16.log":                        fails("lackey", ":1: ", "UTF-16"),
	"address/a06_no_size.log":                      fails("lackey", ":1: ", `missing ",size"`),
	"address/a11_addr_wrap.log":                    fails("lackey", ":1: ", "wraps around the address space"),
	"address/a14_truncated_last_line.log":          fails("lackey", ":2: ", "the last line is truncated", "killed"),
	"address/a15_huge_line.log":                    fails("lackey", ":1: ", "line longer than 1 MiB"),
	"address/a16_nul_bytes.log":                    fails("lackey", ":2: ", "NUL bytes"),
	"address/a17_glued_line.log":                   fails("lackey", ":1: ", "text after the size", "--log-file"),
	"address/a18_guest_count_mismatch.log":         fails("lackey", ":3: ", "5 guest instructions", "1 I lines", "lost"),
	"address/a19_data_before_ifetch.log":           notes("lackey", "line 1: ", "before the first instruction"),
	"address/a21_din_blank_line.din":               fails("din", ":2: ", "blank line"),
	"address/a22_din_no_addr.din":                  fails("din", ":1: ", "the address is missing"),
	"address/a23_din_nonhex.din":                   fails("din", ":1: ", "not a hexadecimal number"),
	"address/a24_xdin_no_size.din":                 fails("xdin", ":1: ", "the size is missing"),
	"address/a25_champsim_partial.champsim":        fails("champsim", "offset 640", "17 trailing bytes", "not a multiple of 64"),
	"address/a26_champsim_empty.champsim":          fails("champsim", "offset 0", "empty"),
	"address/a27_champsim_truncated.xz":            fails("champsim", "compressed offset 300", "xz stream is truncated"),
	"address/a29_badcrc.champsim.gz":               fails("champsim", "compressed offset 379", "gzip checksum mismatch"),
	"address/a30_trailing_garbage.champsim.gz":     fails("champsim", "compressed offset 379", "trailing bytes after the last gzip member", "not another member"),
	"address/a32_champsim_is_branch_2.champsim":    fails("champsim", "offset 8", "is_branch is 2", "cloudsuite"),
	"address/a33_dr_no_header.trace":               fails("drmemtrace", "offset 0", "the first record is", "header (25)"),
	"address/a34_dr_raw.raw":                       fails("drmemtrace", "offset 0", "raw trace", "raw2trace"),
	"address/a35_dr_cut_record.trace":              fails("drmemtrace", "offset 600", "5 trailing bytes"),
	"address/a36_dr_no_footer.trace":               fails("drmemtrace", "end of file", "FOOTER", "truncated"),
	"address/a37_dr_unknown_type.trace":            fails("drmemtrace", "offset 36", "unknown record type 99"),
	"address/a38_dr_bad_version.trace":             fails("drmemtrace", "offset 0", "version 99 is newer than 7"),
	"address/a39_dr_trunc.zip":                     fails("drmemtrace", "end of file", "zip central directory is missing"),
	"address/a40_dr_chunks_out_of_order.zip":       fails("drmemtrace", "member 1", "out of order", `"chunk.0001" before "chunk.0000"`),
	"address/a41_pin_bad_op.out":                   fails("pinatrace", ":1: ", "operation is not R or W"),
	"address/a43_pin_after_eof.out":                fails("pinatrace", ":3: ", "after #eof", "two runs"),
	"address/a44_oracle_partial.oracleGeneral":     fails("oracleGeneral", "offset 24", "1 trailing byte:", "not a multiple of 24"),
	"address/a45_oracle_time_back.oracleGeneral":   notes("oracleGeneral", "record 1", "time goes backwards"),
	"address/a46_oracle_next_le_cur.oracleGeneral": fails("oracleGeneral", "record 0", "next_access_vtime 0 is not after this record"),
	"address/a48_gem5_cut.ptrc":                    fails("gem5", "offset 1", "the message is truncated"),
	"address/a49_gem5_varint.ptrc":                 fails("gem5", "offset 74", "varint longer than 10 bytes"),
	"address/a50_gem5_huge_len.ptrc":               fails("gem5", "offset 74", "4294967295", "exceeds the limit"),
	"address/a52_csv_ragged.csv":                   fails("csv", ":2: ", "4 fields, the header has 5"),
	"address/a53_csv_no_addr_col.csv":              fails("csv", ":1: ", "no addr column"),
	"address/a57_csv_tid_negative.csv":             fails("csv", ":2: ", "column tid", "negative"),
	"address/a58_trunc.zst":                        fails("lackey", "compressed offset 20000", "zstd stream is truncated"),
	"address/a59_not_zst.zst":                      fails("", "offset 0", "zstd", "magic"),
	"address/a60_cachelib_bad_header.csv":          fails("cachelib", ":1: ", `required column "key" is missing`),
	"address/a61_cachelib_bad_op.csv":              fails("cachelib", ":2: ", `"FROB" is an unknown operation`),
	"address/a62_sift_bad_magic.sift":              fails("sift", "offset 0", "magic", "SIFT"),

	"message/m01_empty.goal":                    fails("goal", ":1: ", "empty", "num_ranks is missing"),
	"message/m02_no_num_ranks.goal":             fails("goal", ":1: ", "a block of a rank before num_ranks"),
	"message/m04_peer_out_of_range.goal":        fails("goal", ":3: ", "peer 7, but num_ranks is 2"),
	"message/m05_undefined_label.goal":          fails("goal", ":4: ", `label "l9" is not defined`),
	"message/m06_duplicate_label.goal":          fails("goal", ":4: ", `label "l1" is defined twice`),
	"message/m08_unclosed.goal":                 fails("goal", "end of file", "block of rank 0", "not closed"),
	"message/m10_duplicate_rank.goal":           fails("goal", ":4: ", "rank 0 has two blocks"),
	"message/m11_negative_size.goal":            fails("goal", ":3: ", "negative size"),
	"message/m12_size_overflow.goal":            fails("goal", ":3: ", "over 64 bits"),
	"message/m14_no_b.goal":                     fails("goal", ":3: ", `expected "b" after the size`),
	"message/m15_send_from.goal":                fails("goal", ":3: ", `send takes "to"`),
	"message/m16_unmatched_send.goal":           fails("goal", ":3: ", "send from rank 0 to rank 1 with tag 3 (5 bytes) has no receive"),
	"message/m17_unmatched_recv.goal":           fails("goal", ":5: ", "receive on rank 1 from rank 0 with tag 3", "has no send"),
	"message/m18_size_mismatch.goal":            fails("goal", ":6: ", "receive of 5 bytes is smaller than the matching send of 9", "truncation"),
	"message/m19_open_comment.goal":             fails("goal", ":1: ", "comment", "not closed"),
	"message/m20_goalbin_magic.bin":             fails("goal.bin", "offset 0", "cookie 2342", "destructive run of LogGOPSim"),
	"message/m21_goalbin_cut.bin":               fails("goal.bin", "jump table", "range of rank 1", "past the end of the file"),
	"message/m23_goalbin_bad_type.bin":          fails("goal.bin", "offset 166", "operation type 9"),
	"message/m24_ti_unknown_action.txt":         fails("simgrid-ti", ":2: ", "unknown action"),
	"message/m25_ti_missing_args.txt":           fails("simgrid-ti", ":2: ", "send has 2 values, needs partner, tag, size"),
	"message/m26_ti_bad_datatype.txt":           fails("simgrid-ti", ":2: ", `unknown datatype id "99"`, "0 to 59"),
	"message/m27_ti_negative_flops.txt":         fails("simgrid-ti", ":2: ", "negative amount of flops"),
	"message/m28_ti_nan.txt":                    fails("simgrid-ti", ":2: ", "not finite"),
	"message/m29_ti_rank_range.txt":             fails("simgrid-ti", ":3: ", "partner 5, but the trace has 2 ranks"),
	"message/m30_ti_no_init.txt":                fails("simgrid-ti", ":1: ", "first action", "not init"),
	"message/m31_ti_no_finalize.txt":            fails("simgrid-ti", "end of the actions", "without finalize", "truncated"),
	"message/m32_ti_after_finalize.txt":         fails("simgrid-ti", ":3: ", "after finalize"),
	"message/m33_ti_wait_without_request.txt":   fails("simgrid-ti", ":2: ", "wait matches no open irecv or isend"),
	"message/m34_ti_collective_mismatch.txt":    fails("simgrid-ti", ":4: ", "rank 0 collective #1 is barrier, rank 1 has bcast"),
	"message/m35_ti_vector_len.txt":             fails("simgrid-ti", ":3: ", "recvcounts has 1 entry", "2 ranks"),
	"message/m36_ti_no_final_newline.txt":       notes("simgrid-ti", "line 3", "without line end", "read here"),
	"message/m37_ti_wildcard_minus333.txt":      fails("simgrid-ti", "line 4", "-333", "MPI_ANY_SOURCE", "-444"),
	"message/m38_ti_list_missing_file.txt":      fails("simgrid-ti", "line 2", "the listed file does not exist", "files/nope.txt"),
	"message/m39_prv_no_header.prv":             fails("paraver", ":1: ", `does not start with "#Paraver ("`),
	"message/m40_prv_thread_range.prv":          fails("paraver", ":126: ", "task 9 of application 1: header declares 4"),
	"message/m41_prv_short_comm.prv":            fails("paraver", ":126: ", "communication record has 14 fields, needs 15"),
	"message/m42_prv_odd_event.prv":             fails("paraver", ":126: ", "event type without value"),
	"message/m43_prv_recv_before_send.prv":      notes("paraver", "line 126", "received before", "clocks"),
	"message/m45_prv_time_overflow.prv":         fails("paraver", ":126: ", "time exceeds 64 bits"),
	"message/m46_prv_comm_count.prv":            fails("paraver", ":4: ", "announces 3 communicators, but 2 follow"),
	"message/m47_dumpi_no_return.txt":           fails("dumpi", "MPI_Isend", "never return", "truncated"),
	"message/m49_dumpi_time_back.txt":           fails("dumpi", ":3: ", "return", "before"),
	"message/m50_dumpi_unknown_type.txt":        fails("dumpi", ":3: ", "datatype 28", "size"),
	"message/m51_dumpi_array_len.txt":           fails("dumpi", ":3: ", "2 elements", "has 1"),
	"message/m53_chakra_empty.et":               fails("chakra", "offset 0", "empty", "GlobalMetadata missing"),
	"message/m54_chakra_cut.et":                 fails("chakra", "offset 8", "the message is truncated"),
	"message/m55_chakra_huge_len.et":            fails("chakra", "offset 8", "4294967295", "exceeds the limit"),
	"message/m56_chakra_dup_id.et":              fails("chakra", "offset 13", "node id 1 appears twice"),
	"message/m57_chakra_missing_dep.et":         notes("chakra", "node 1 depends on node 9, which does not exist"),
	"message/m58_chakra_cycle.et":               fails("chakra", "nodes 1, 2", "dependency cycle"),
	"message/m59_chakra_invalid_type.et":        fails("chakra", "node 1", "INVALID_NODE"),
	"message/m61_otf2print_unmatched_leave.txt": fails("otf2-print", ":189: ", `LEAVE "main" on location 0 without ENTER`),
	"message/m62_otf2print_cut.txt":             fails("otf2-print", ":41: ", "line is truncated"),
	"message/m63_otf2print_time_back.txt":       fails("otf2-print", ":131: ", "goes backwards on location 0"),
	"message/m64_otf2_anchor_bad.otf2":          fails("otf2", "offset 2", "anchor magic is not OTF2"),
}

// malformedMemory is what a malformed file may cost, in KiB, as getrusage counts.
const malformedMemory = 256 << 10

// Every malformed sample gets the complaint that names its place and its reason: with
// the format given and, whatever is said then, without it. None crashes, hangs, needs
// much memory, or leaves anything behind where it fails.
func TestMalformedSamples(t *testing.T) {
	root := os.Getenv("SPOOR_SAMPLES")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "samples")
	}
	root, err := filepath.Abs(filepath.Join(root, "malformed"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.Open(filepath.Join(root, "INDEX.tsv"))
	if err != nil {
		t.Skipf("no samples at %s; SPOOR_SAMPLES names the folder above it", root)
	}
	defer index.Close()
	r := csv.NewReader(index)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	workspace(t)
	for i := 1; i < len(rows); i += testsize.Cases(1, 4) {
		row := rows[i]
		want, known := complaints[row[0]]
		if !known {
			t.Errorf("%s is in the index, and nothing is expected of it", row[0])
			continue
		}
		path := filepath.Join(root, row[0])
		status, errs := importAlone(t, path, "--from", want.from)
		want.check(t, row[0], status, errs)
		importAlone(t, path) // recognised as it may be
	}
	if len(rows)-1 != len(complaints) {
		t.Errorf("%d complaints for %d files", len(complaints), len(rows)-1)
	}
}

func (c complaint) check(t *testing.T, name string, status int, errs string) {
	t.Helper()
	line := errs
	if c.tolerated {
		if status != stage.Done {
			t.Errorf("%s: status %d: %s", name, status, errs)
		}
	} else if status != stage.Failed || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, filepath.Base(name)+":") {
		t.Errorf("%s: status %d, not one line about the file: %s", name, status, errs)
	}
	for _, s := range c.says {
		if !strings.Contains(line, s) {
			t.Errorf("%s: %q does not say %q", name, line, s)
		}
	}
}

// importAlone imports a file in a process of its own, which must end soon, in little
// memory, and leave nothing where it fails.
func importAlone(t *testing.T, path string, args ...string) (status int, errs string) {
	t.Helper()
	if len(args) == 2 && args[1] == "" {
		args = nil
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, append([]string{"import", path, "-o", "x"}, args...)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var out, err2 strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &err2
	cmd.Run()
	status, errs = cmd.ProcessState.ExitCode(), err2.String()
	if ctx.Err() != nil || status < 0 || status > stage.WrongUsage || strings.Contains(errs, "goroutine ") || out.Len() > 0 {
		t.Errorf("%s %v: status %d, printed %q and %q", path, args, status, out.String(), errs)
	}
	if used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; used > malformedMemory {
		t.Errorf("%s %v: %d KiB of memory", path, args, used)
	}
	for _, f := range files(t) {
		if status != stage.Done {
			t.Errorf("%s %v left %s", path, args, f)
		}
		os.Remove(f)
	}
	return status, errs
}
