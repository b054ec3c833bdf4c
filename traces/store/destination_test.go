//go:build unix

package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spoor/traces/internal/outfile"
	"spoor/traces/trace"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// isLink fails t unless path is still a symbolic link to want.
func isLink(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.Readlink(path); err != nil || got != want {
		t.Errorf("%s leads to %q (%v), want %q", path, got, err, want)
	}
}

func TestWritesThroughLinks(t *testing.T) {
	dir := t.TempDir()
	in := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	if err := errors.Join(os.MkdirAll(in("a", "b"), 0o777), os.Mkdir(in("c"), 0o777), os.Symlink(in("a", "b"), in("c", "folder")),
		os.Symlink("../real", in("a", "b", "up")), os.Symlink("c/folder/up", in("first")), os.Symlink("first", in("second"))); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"new", "replaced"} {
		if err := errors.Join(outfile.CheckWritable(in("second")), outfile.WriteFileAtomic(in("second"), text(s))); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(in("a", "real")); err != nil || string(got) != s {
			t.Errorf("the file has %q, %v; want %q", got, err, s)
		}
	}
	isLink(t, in("second"), "first")
	isLink(t, in("first"), "c/folder/up")
	isLink(t, in("a", "b", "up"), "../real")
	if left, _ := filepath.Glob(in("*", "*.partial*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := errors.Join(os.Symlink("round", in("round")), os.Symlink("none/x", in("lost"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"round": "too many symbolic links", "lost": "make the folder " + in("none") + " first", "c": "is a directory"} {
		t.Run(name, func(t *testing.T) {
			if err := outfile.WriteFileAtomic(in(name), text("")); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

func TestTraceThroughLinks(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "x")
	for _, s := range []string{RefsSuffix, EventsSuffix} {
		if err := os.Symlink("real"+s, prefix+s); err != nil {
			t.Fatal(err)
		}
	}
	h := trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}
	for range 2 {
		w, err := Create(prefix, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(h); err != nil {
			t.Fatal(err)
		}
	}
	isLink(t, prefix+RefsSuffix, "real"+RefsSuffix)
	isLink(t, prefix+EventsSuffix, "real"+EventsSuffix)
	if err := readTrace(filepath.Join(dir, "real")); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 4 {
		t.Errorf("left: %v", left)
	}
}

func TestPublishThroughLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "in"), 0o777), os.Symlink(filepath.Join(other, "real"), filepath.Join(dir, "x"))); err != nil {
		t.Fatal(err)
	}
	f, err := outfile.NewStagingFolder(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.WriteFile("x", text("result")), f.Publish("x", filepath.Join(dir, "x")), f.Remove()); err != nil {
		t.Fatal(err)
	}
	isLink(t, filepath.Join(dir, "x"), filepath.Join(other, "real"))
	if got, err := os.ReadFile(filepath.Join(dir, "x")); err != nil || string(got) != "result" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWritesToStreams(t *testing.T) {
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	paths := []string{fmt.Sprintf("/dev/fd/%d", w.Fd()), link, fifo, "/dev/null"}
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink(paths[0], link)); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		b, _ := os.ReadFile(fifo)
		read <- string(b)
	}()
	broken := errors.New("broken")
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if !outfile.IsStream(path) || outfile.IsStandardOutput(path) {
				t.Errorf("%s is not a stream, or standard output", path)
			}
			if err := errors.Join(outfile.CheckWritable(path), outfile.WriteFileAtomic(path, text("whole"))); err != nil {
				t.Error(err)
			}
			if path == fifo { // writing again would wait for another reader
				return
			}
			part := func(w io.Writer) error { return errors.Join(text("part")(w), broken) }
			if err := outfile.WriteFileAtomic(path, part); !errors.Is(err, broken) || !strings.Contains(err.Error(), "writing "+path) {
				t.Errorf("%v", err)
			}
		})
	}
	w.Close()
	if b, err := io.ReadAll(r); string(b) != "wholewhole" || err != nil {
		t.Errorf("the pipe has %q, %v", b, err)
	}
	if s := <-read; s != "whole" {
		t.Errorf("the named pipe has %q", s)
	}
	isLink(t, link, paths[0])
	if !outfile.IsStandardOutput("/dev/fd/1") || !outfile.IsStandardOutput("/dev/stdout") {
		t.Error("/dev/stdout is not standard output")
	}
	for _, path := range []string{fmt.Sprintf("/dev/fd/%d", r.Fd()), "/dev/fd/9999"} {
		if err := errors.Join(outfile.CheckWritable(path)); err == nil {
			t.Errorf("%s can be written", path)
		}
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Errorf("/dev/null is %v, %v", info, err)
	}
}
