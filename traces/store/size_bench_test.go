package store

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"spoor/traces/trace"
)

// sizeLines is how many lines of each log the sizes are measured on: all columns
// in memory and xz take their time.
const sizeLines = 16 << 20

// lackeyPrograms are what the sizes are measured on.
var lackeyPrograms = []struct {
	name string
	run  func(dir string) []string
}{
	{"gzip", func(dir string) []string {
		return []string{"gzip", "-c", writeText(dir, "in", 300_000)}
	}},
	{"gcc", func(dir string) []string {
		out, err := exec.Command("gcc", "-print-prog-name=cc1").Output()
		if err != nil {
			return nil
		}
		source := filepath.Join(dir, "x.c")
		os.WriteFile(source, []byte("struct n { int k; struct n *l, *r; };\n"+
			"struct n *find(struct n *n, int k) { while (n && n->k != k) n = k < n->k ? n->l : n->r; return n; }\n"), 0o666)
		return []string{strings.TrimSpace(string(out)), "-quiet", "-O2", source, "-o", filepath.Join(dir, "x.s")}
	}},
	{"python", func(string) []string {
		// The command may be a script that finds the real one.
		out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
		if err != nil {
			return nil
		}
		return []string{strings.TrimSpace(string(out)), "-S", "-c", "import json; print(len(json.dumps([[i, str(i), i * 0.5] for i in range(300)])))"}
	}},
}

// writeText writes n bytes that read a little like text.
func writeText(dir, name string, n int) string {
	var b bytes.Buffer
	for i := uint32(1); b.Len() < n; {
		i = i*1664525 + 1013904223
		fmt.Fprintf(&b, "%c%s%x ", 'a'+i>>27%26, "tion of the in "[i>>20%8:8+i>>24%7], i>>12%(1+i>>28))
	}
	path := filepath.Join(dir, name)
	os.WriteFile(path, b.Bytes(), 0o666)
	return path
}

// lackeyLog is the first lines of lackey's log of a program, as a zstd file. The
// program is not traced to its end.
func lackeyLog(b *testing.B, args []string) string {
	b.Helper()
	valgrind, err := exec.LookPath("valgrind")
	if err != nil || len(args) == 0 {
		b.Skip("no valgrind, or no such program: ", err)
	}
	if args[0], err = exec.LookPath(args[0]); err != nil {
		b.Skip("no such program: ", err)
	}
	cmd := exec.Command(valgrind, append([]string{"--tool=lackey", "--trace-mem=yes", "--log-fd=2"}, args...)...)
	log, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "log.zst")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	z, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		b.Fatal(err)
	}
	const lineBytes = 14 // "I  04001090,3" and a newline, or " L 1ffefff8,8"
	if _, err := io.CopyN(z, log, sizeLines*lineBytes); err != nil && err != io.EOF {
		b.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if err := z.Close(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// xzSize is the size of the log under xz -9, or 0 without xz.
func xzSize(b *testing.B, path string) (n int64) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	defer z.Close()
	cmd := exec.Command("xz", "-9", "-c")
	cmd.Stdin = z
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return 0
	}
	n, err = io.Copy(io.Discard, out)
	if cmd.Wait() != nil || err != nil {
		return 0
	}
	return n
}

// BenchmarkSize measures bytes per reference of both profiles and of xz -9 on
// lackey's log, and how fast the archive profile is written and read.
func BenchmarkSize(b *testing.B) {
	for _, p := range lackeyPrograms {
		b.Run(p.name, func(b *testing.B) {
			log := lackeyLog(b, p.run(b.TempDir()))
			refs := lackeyRefs(b, log)
			n := float64(refs.Len())
			prefix := filepath.Join(b.TempDir(), "x")
			writeRefs(b, prefix, refs)
			plain, xz := fileSize(b, prefix+RefsSuffix), xzSize(b, log)
			b.ResetTimer()
			for range b.N {
				writeAs(b, CreateArchive, prefix, refs)
			}
			write := b.Elapsed()
			for range b.N {
				readAll(b, prefix, refs)
			}
			read := b.Elapsed() - write
			b.ReportMetric(float64(plain)/n, "plain-B/ref")
			b.ReportMetric(float64(fileSize(b, prefix+RefsSuffix))/n, "archive-B/ref")
			if xz > 0 {
				b.ReportMetric(float64(xz)/n, "xz-B/ref")
			}
			b.ReportMetric(n*float64(b.N)/write.Seconds()/1e6, "write-Mrefs/s")
			b.ReportMetric(n*float64(b.N)/read.Seconds()/1e6, "read-Mrefs/s")
		})
	}
}

// readAll reads the trace and counts.
func readAll(b *testing.B, prefix string, refs *trace.Refs) {
	tr, err := Open(prefix)
	if err != nil {
		b.Fatal(err)
	}
	defer tr.Close()
	rows := 0
	for batch, err := range tr.Refs() {
		if err != nil {
			b.Fatal(err)
		}
		rows += batch.Len()
	}
	if rows != refs.Len() {
		b.Fatalf("%d rows of %d", rows, refs.Len())
	}
}
