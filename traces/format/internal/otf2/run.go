package otf2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"strconv"
	"strings"
)

const otf2Printer = "otf2-print"

// identifyArchive adds the other files of the archive to files and reads them, so that
// their hashes identify the import. They are NAME.def, and the files of locations in
// the folder NAME.
func identifyArchive(files *input.Files) error {
	if file := &files.Files[0]; file.Once || file.Path == "-" {
		return fmt.Errorf("%s: an OTF2 archive is several files; give its folder or its anchor file", file.In.Name)
	}
	base := strings.TrimSuffix(files.Path(0), ".otf2")
	inside, err := filepath.Glob(globQuote(base) + string(filepath.Separator) + "*.*")
	if err != nil {
		return err
	}
	for _, path := range append([]string{base + ".def"}, inside...) {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue // otf2-print knows which files it needs
		}
		in, err := files.Open(files.Add(path))
		if err != nil {
			return err
		}
		err = drain(in)
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// globQuote makes a path match only itself in filepath.Glob.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// printArchive runs otf2-print, while parse reads its output.
func printArchive(files *input.Files, parse func(*input.Input) (format.Result, error)) (format.Result, error) {
	anchor := files.Path(0)
	tool, err := exec.LookPath(otf2Printer)
	if err != nil {
		return format.Result{}, fmt.Errorf("%s: reading OTF2 archives needs otf2-print; install it (Debian: apt-get install otf2-tools), "+
			"or run otf2-print -A %s > trace.txt elsewhere and import trace.txt", anchor, filepath.Base(anchor))
	}
	ctx, cancel := context.WithCancel(files.Ctx)
	defer cancel()
	absolute, err := filepath.Abs(anchor) // so that a leading - is not an option
	if err != nil {
		return format.Result{}, err
	}
	cmd := exec.CommandContext(ctx, tool, "-A", absolute)
	complaint := new(firstBytes)
	cmd.Stderr = complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return format.Result{}, err
	}
	if err := cmd.Start(); err != nil {
		return format.Result{}, fmt.Errorf("running otf2-print: %w", err)
	}
	r, parseErr := readPrinted(ctx, anchor, parse, func() (*input.Input, error) { return input.Open(ctx, "-", out, nil) })
	if parseErr != nil {
		cancel() // it may be blocked on the pipe
	}
	return r, printed(files.Ctx, cmd.Wait(), parseErr, complaint, anchor)
}

func readPrinted(ctx context.Context, anchor string, parse func(*input.Input) (format.Result, error), open func() (*input.Input, error)) (format.Result, error) {
	in, err := open()
	if err != nil {
		return format.Result{}, err
	}
	defer in.Close()
	in.Name = "otf2-print -A " + anchor
	return parse(in)
}

// printed returns the error of an import. A complaint of otf2-print explains an error
// in its output.
func printed(ctx context.Context, ended, parseErr error, complaint *firstBytes, anchor string) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var exit *exec.ExitError
	if errors.As(ended, &exit) && exit.Exited() && (parseErr == nil || complaint.Len() > 0) {
		return fmt.Errorf("%s: otf2-print ends with status %d: %s; the archive is damaged or not complete", anchor, exit.ExitCode(), complaint.reason(anchor))
	}
	if parseErr != nil {
		return parseErr
	}
	if ended != nil {
		return fmt.Errorf("%s: otf2-print: %w", anchor, ended)
	}
	return nil
}

// firstBytes keeps the start of the written bytes.
type firstBytes struct{ bytes.Buffer }

// Write keeps b if there is room, and never fails.
func (f *firstBytes) Write(b []byte) (int, error) {
	if room := 4096 - f.Len(); room > 0 {
		f.Buffer.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

// reason returns the first complaint of otf2-print. It omits the place in otf2-print's
// source, and gives file names relative to the anchor's folder.
func (f *firstBytes) reason(anchor string) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(f.Bytes()), input.Newline)
	if _, why, ok := bytes.Cut(line, []byte(": error: ")); ok {
		line = why
	}
	if dir, err := filepath.Abs(filepath.Dir(anchor)); err == nil {
		line = bytes.ReplaceAll(line, []byte(dir+string(filepath.Separator)), nil)
	}
	if cut := 200; len(line) > cut {
		line = line[:cut]
	}
	return strconv.Quote(string(line))
}
