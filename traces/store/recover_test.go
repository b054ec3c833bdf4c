package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spoor/traces/internal/outfile"
	"spoor/traces/trace"
)

// salvageBytes recovers b, in memory.
func salvageBytes(name string, b []byte) (Recovery, []byte, error) {
	s := newRecoverer(name, bytes.NewReader(b), int64(len(b)))
	defer decoders.Put(s.d)
	if err := s.begin(); err != nil {
		return Recovery{}, nil, err
	}
	var out bytes.Buffer
	err := s.copy(&out)
	return s.done, out.Bytes(), err
}

// prefixOf fails unless b, a whole file, has the first batches of the file with
// the given blocks, and the rows of m.
func prefixOf(t *testing.T, kind string, b []byte, blocks []batchBlock, m *trace.Memory) {
	t.Helper()
	tr, err := openBytes("recovered."+kind+".arrow", b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(tr)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]int, m.Head.Procs)
	for _, block := range blocks {
		rows[block.proc] += int(block.rows)
	}
	for q := range got.RefsOf {
		if kind != kindEvents {
			want := m.RefsOf[q].Slice(0, rows[q])
			if !sameRefs(&got.RefsOf[q], &want) {
				t.Fatalf("processor %d: %d references recovered, want the first %d", q, got.RefsOf[q].Len(), rows[q])
			}
		} else if len(got.EventsOf[q].Rows) != rows[q] || (rows[q] > 0 && !reflect.DeepEqual(got.EventsOf[q].Rows, m.EventsOf[q].Rows[:rows[q]])) {
			t.Fatalf("processor %d: %d events recovered, want the first %d", q, len(got.EventsOf[q].Rows), rows[q])
		}
	}
}

// archiveRefs stands for a refs file in the archive profile.
const archiveRefs = "archive." + kindRefs

// inBatches is a trace of several small batches and its two files, the refs file
// in both profiles.
func inBatches(t *testing.T) (m *trace.Memory, files map[string][]byte) {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "x")
	m = memory(rand.New(rand.NewPCG(15, 16)), header(2), 8, 8)
	saveBatches(t, prefix, m, 3, 4)
	saveAs(t, CreateArchive, prefix+"a", m, 3, 4)
	return m, map[string][]byte{kindRefs: read(t, prefix+RefsSuffix), kindEvents: read(t, prefix+EventsSuffix),
		archiveRefs: read(t, prefix+"a"+RefsSuffix)}
}

func TestRecoverKeepsEveryCompleteBatchOfEveryCut(t *testing.T) {
	m, files := inBatches(t)
	for kind, whole := range files {
		f, err := newFile("whole", bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		for n := range places(len(whole)) {
			done, out, err := salvageBytes("cut", whole[:n])
			if int64(n) < f.blocks[0].offset {
				if err == nil {
					t.Fatalf("%s cut to %d bytes: recovered %+v without a schema", kind, n, done)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s cut to %d of %d bytes: %v", kind, n, len(whole), err)
			}
			complete := 0
			for complete < len(f.blocks) && f.blocks[complete].offset+int64(f.blocks[complete].meta)+f.blocks[complete].body <= int64(n) {
				complete++
			}
			if done.Batches != uint64(complete) || done.Lost == "" {
				t.Fatalf("%s cut to %d bytes: recovered %+v, want %d batches and a loss", kind, n, done, complete)
			}
			prefixOf(t, kind, out, f.blocks[:complete], m)
		}
	}
}

func TestRecoverStopsAtDamage(t *testing.T) {
	m, files := inBatches(t)
	for kind, whole := range files {
		f, err := newFile("whole", bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range places(len(whole)) {
			b := bytes.Clone(whole)
			b[i] ^= 1 << (i % 8)
			done, out, err := salvageBytes("damaged", b)
			if i < len(magic) {
				if err == nil {
					t.Fatalf("%s with byte %d changed was recovered", kind, i)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s with byte %d changed: %v", kind, i, err)
			}
			before := 0
			for before < len(f.blocks) && f.blocks[before].offset+int64(f.blocks[before].meta)+f.blocks[before].body <= int64(i) {
				before++
			}
			if int64(i) < f.blocks[0].offset { // the schema: the footer has another one
				before = len(f.blocks)
			}
			if done.Batches != uint64(before) || done.Lost == "" {
				t.Fatalf("%s with byte %d changed: recovered %+v, want %d batches and a loss", kind, i, done, before)
			}
			prefixOf(t, kind, out, f.blocks[:before], m)
		}
	}
}

func TestRecoverLeavesWholeFilesAsTheyAre(t *testing.T) {
	_, files := inBatches(t)
	for kind, whole := range files {
		done, out, err := salvageBytes("whole", whole)
		if err != nil || done.Lost != "" || !bytes.Equal(out, whole) {
			t.Errorf("%s: recovering a whole file: %+v, %v, same bytes %t", kind, done, err, bytes.Equal(out, whole))
		}
	}
}

func TestRecoverFiles(t *testing.T) {
	dir := t.TempDir()
	m, files := inBatches(t)
	path := filepath.Join(dir, "x.refs.arrow")
	cut := files[kindRefs][:len(files[kindRefs])/2]
	if err := os.WriteFile(path+outfile.PartialSuffix, cut, 0o666); err != nil {
		t.Fatal(err)
	}
	done, err := Recover(path+outfile.PartialSuffix, path)
	if err != nil || done.Rows == 0 || done.Lost == "" {
		t.Fatalf("recovered %+v, %v", done, err)
	}
	if !bytes.Equal(read(t, path+outfile.PartialSuffix), cut) {
		t.Error("recovering changed what it read")
	}
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	want := fmt.Sprintf("recovered %d rows in %d batches of refs", done.Rows, done.Batches)
	if notes := tr.Header().Notes; len(notes) == 0 || !strings.Contains(notes[len(notes)-1], want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if tr.Header().Procs != m.Head.Procs {
		t.Errorf("%d processors, want %d", tr.Header().Procs, m.Head.Procs)
	}
	table := filepath.Join(dir, "t.arrow")
	if err := WriteTable(table, someTable(3)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, out, want string }{
		{path, path, "cannot be written over itself"},
		{table, table + "2", "it is a reuse table, not a trace"},
		{filepath.Join(dir, "none"), path, "no such file"},
		{dir, path, "directory"},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			if _, err := Recover(c.path, c.out); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "recovering "+c.path) {
				t.Errorf("recovering %s: %v, want %s", c.path, err, c.want)
			}
		})
	}
}

// TestMain is also the child that TestRecoverAfterKill kills.
func TestMain(m *testing.M) {
	if prefix := os.Getenv("SPOOR_TEST_WRITE_UNTIL_KILLED"); prefix != "" {
		writeUntilKilled(prefix)
	}
	os.Exit(m.Run())
}

// endless is row i of the trace that the child writes.
func endless(i int) (instr uint32, addr uint64, size uint16, op trace.Op) {
	return uint32(i % 7), uint64(i) * 64, uint16(1 + i%64), trace.Ops[i%len(trace.Ops)]
}

func writeUntilKilled(prefix string) {
	h := header(0)
	w, err := Create(prefix, h)
	if err != nil {
		panic(err)
	}
	if rows, err := strconv.Atoi(os.Getenv("SPOOR_TEST_ROWS")); err == nil {
		w.rows, w.most = rows, rows
	}
	for i := 0; ; {
		var b trace.Refs
		for range 1000 {
			b.Append(endless(i))
			i++
		}
		if err := w.Refs(&b); err != nil {
			panic(err)
		}
	}
}

func TestRecoverAfterKill(t *testing.T) {
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		prefix := filepath.Join(t.TempDir(), "x")
		child := exec.Command(os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), "SPOOR_TEST_WRITE_UNTIL_KILLED="+prefix)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		partial := prefix + RefsSuffix + outfile.PartialSuffix
		grown := func() bool {
			info, err := os.Stat(partial)
			return err == nil && info.Size() > int64(1+round)<<20
		}
		for deadline := time.Now().Add(time.Minute); !grown(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				child.Process.Kill()
				t.Fatal("the child does not write")
			}
		}
		if err := child.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		child.Wait()
		if _, err := Open(prefix); err == nil || !strings.Contains(err.Error(), "--recover") {
			t.Errorf("a killed run's prefix: %v", err)
		}
		if err := readTrace(partial); err == nil || !strings.Contains(err.Error(), "cut or still being written") {
			t.Errorf("a killed run's file: %v", err)
		}
		checkRecovered(t, partial, prefix+RefsSuffix, batchRows)
	}
}

// checkRecovered recovers the file of a killed child, which made batches of rows.
func checkRecovered(t *testing.T, partial, out string, rows uint64) Recovery {
	t.Helper()
	done, err := Recover(partial, out)
	if err != nil || done.Batches == 0 || done.Rows != done.Batches*rows {
		t.Fatalf("recovered %+v, %v", done, err)
	}
	tr, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if tr.Header().Procs != 1 || tr.Totals(0).Refs != done.Rows {
		t.Fatalf("recovered %+v, but the file has %d processors and %d rows", done, tr.Header().Procs, tr.Totals(0).Refs)
	}
	i := 0
	for b, err := range tr.Refs() {
		if err != nil {
			t.Fatal(err)
		}
		for j := range b.Addr {
			instr, addr, size, op := endless(i)
			if b.Instr[j] != instr || b.Addr[j] != addr || b.Size[j] != size || b.Op[j] != op {
				t.Fatalf("recovered row %d differs", i)
			}
			i++
		}
	}
	if uint64(i) != done.Rows {
		t.Fatalf("%d rows read, %d recovered", i, done.Rows)
	}
	return done
}
