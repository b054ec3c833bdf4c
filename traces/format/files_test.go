package format

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"spoor/traces/internal/input"
	"strings"
	"testing"
)

// A trace of thousands of ranks has a file for each: what is kept of a file that was
// parsed must be far less than the buffers that it was read with.
func TestParsedFilesAreSmall(t *testing.T) {
	const count, limit = 500, 8 << 10
	dir := t.TempDir()
	var paths []string
	for i := range count {
		paths = append(paths, filepath.Join(dir, fmt.Sprint("rank-", i, ".txt")))
		if err := os.WriteFile(paths[i], []byte(strings.Repeat("0 barrier\n", i)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files := input.NewFiles(t.Context(), paths, nil, nil)
	defer files.Close()
	before := heapBytes()
	for i := range count {
		in, err := files.Open(i)
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for b, err := range in.Blocks(input.WholeLines, input.MaxLine) {
			if err != nil {
				t.Fatal(err)
			}
			read += len(b)
		}
		if read != 10*i {
			t.Fatalf("file %d: read %d bytes, want %d", i, read, 10*i)
		}
		in.Close()
	}
	if kept := int(heapBytes()) - int(before); kept > count*limit {
		t.Errorf("%d files of up to 5 kB that were parsed keep %d bytes, want at most %d each", count, kept, limit)
	}
	if sums := files.SHA256s(); len(sums) != count {
		t.Errorf("%d digests of %d files", len(sums), count)
	}
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
