package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"spoor/traces/internal/outfile"
	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/testsize"
)

// A file of several full batches, with damage in every stretch of it, at a random byte: whole
// batches go through decompression on several goroutines, as those of small files do not. What
// a check leaves out is found if it is longer than two stretches; that no single byte is left out,
// small files show.
func TestDamageToLargeFilesIsAnError(t *testing.T) {
	stretches := testsize.Cases(250, 10)
	prefix := filepath.Join(t.TempDir(), "x")
	save(t, prefix, memory(rand.New(rand.NewPCG(21, 22)), header(2), batchRows+1000, 20_000), batchRows)
	rng := rand.New(rand.NewPCG(23, 24))
	for _, name := range []string{prefix + RefsSuffix, prefix + EventsSuffix} {
		b := read(t, name)
		for i := range stretches {
			from, to := i*len(b)/stretches, (i+1)*len(b)/stretches
			at, mask := from+rng.IntN(to-from), byte(1)<<rng.UintN(8)
			b[at] ^= mask
			if err := readBytes(name, b); !oneLine(err, name) {
				t.Fatalf("%s: byte %d of %d changed: error %v", name, at, len(b), err)
			}
			b[at] ^= mask
			n := from + rng.IntN(to-from)
			if err := readBytes(name, b[:n]); !oneLine(err, name) {
				t.Fatalf("%s cut to %d of %d bytes: error %v", name, n, len(b), err)
			}
		}
		if err := readBytes(name, b); err != nil {
			t.Fatal(err)
		}
	}
}

// A writer is killed at random moments, also before its first batch. Every batch
// that is whole in the file it leaves is recovered, and its values are right.
func TestRecoverAfterKillAtAnyMoment(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 5
	}
	rng := rand.New(rand.NewPCG(25, 26))
	var empty, batches int
	latest := 80 * time.Millisecond
	for i := range kills {
		if batches < i { // a busy host has hardly started the writer by then
			latest += 10 * time.Millisecond
		}
		prefix := filepath.Join(t.TempDir(), strconv.Itoa(i))
		killedAfter(t, prefix, time.Duration(rng.Int64N(int64(latest))))
		partial := prefix + RefsSuffix + outfile.PartialSuffix
		left, err := os.ReadFile(partial)
		if os.IsNotExist(err) || err == nil && completeBatches(left) <= 0 {
			empty++
			if _, err := Recover(partial, prefix+RefsSuffix); err == nil && completeBatches(left) < 0 {
				t.Fatalf("kill %d: something was recovered from a file without a schema", i)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if done := checkRecovered(t, partial, prefix+RefsSuffix, killedRows); done.Batches != uint64(completeBatches(left)) {
			t.Fatalf("kill %d: recovered %d batches of %d", i, done.Batches, completeBatches(left))
		}
		batches += completeBatches(left)
	}
	t.Logf("%d kills: %d left no whole batch, the others %d batches", kills, empty, batches)
	if !testing.Short() && (empty == kills || batches < kills) {
		t.Errorf("the kills came too early to test anything")
	}
}

// killedRows is the size of the batches of a writer that is killed, so that it
// completes many.
const killedRows = 1000

// killedAfter starts a writer and kills it after a while.
func killedAfter(t *testing.T, prefix string, wait time.Duration) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), "SPOOR_TEST_WRITE_UNTIL_KILLED="+prefix, fmt.Sprintf("SPOOR_TEST_ROWS=%d", killedRows))
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(wait)
	if err := child.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	child.Wait()
}

// completeBatches counts the messages behind the schema that are all there, by
// their sizes alone; -1 if not even the schema is.
func completeBatches(b []byte) int {
	n := -1
	if !bytes.HasPrefix(b, []byte(magic)) {
		return n
	}
	for pos := int64(len(magic)); pos+prefixSize <= int64(len(b)); n++ {
		meta, err := metaSize(b[pos:])
		if err != nil || pos+int64(meta) > int64(len(b)) {
			break
		}
		_, root := arrowmeta.FlatRoot(b[pos+prefixSize : pos+int64(meta)])
		if pos += int64(meta) + root.I64(3); pos > int64(len(b)) {
			break
		}
	}
	return n
}
