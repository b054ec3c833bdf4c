package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// destination is where the contents of an output path go: a file, or a stream that is not replaced.
type destination struct {
	path   string // of the file, behind all symbolic links
	fd     int    // descriptor of this process, or -1
	stream bool   // a device, pipe, socket or descriptor
	mode   fs.FileMode
}

// maxLinks is the most symbolic links that lead to a destination, as in Linux.
const maxLinks = 40

// follow follows the symbolic links of path. The file that they lead to need not exist. It does not follow the links to
// the descriptors of a process, because these name files that have no path, or open them anew.
func follow(path string) (destination, error) {
	for range maxLinks {
		d := destination{path: path, fd: ownDescriptor(path)}
		if d.fd >= 0 {
			d.stream = true
			return d, nil
		}
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return d, nil
		case err != nil:
			return d, err
		case info.Mode()&fs.ModeSymlink == 0 || descriptors.MatchString(realFolder(path)):
			if info, err = os.Stat(path); err != nil {
				return d, err
			}
			d.mode, d.stream = info.Mode(), !info.Mode().IsRegular() || descriptors.MatchString(realFolder(path))
			return d, nil
		}
		link, err := os.Readlink(path)
		if err != nil {
			return d, err
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(realFolder(path), link)
		}
		path = link
	}
	return destination{}, errors.New("too many symbolic links, or a circle of them")
}

// descriptors matches the folders of the descriptors of processes.
var descriptors = regexp.MustCompile(`^(/dev|/proc/\d+(/task/\d+)?)/fd$`)

// realFolder returns the folder of path behind all symbolic links, because ".." in a link starts there.
func realFolder(path string) string {
	dir := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// ownDescriptor returns N if path is /dev/fd/N, /proc/self/fd/N or the like for this process, else -1.
func ownDescriptor(path string) int {
	fd, err := strconv.Atoi(filepath.Base(path))
	if err != nil || fd < 0 {
		return -1
	}
	dir, self := realFolder(path), "/proc/"+strconv.Itoa(os.Getpid())
	if dir != "/dev/fd" && dir != self+"/fd" && dir != self+"/task/"+filepath.Base(filepath.Dir(dir))+"/fd" {
		return -1
	}
	return fd
}

// IsStream reports whether writing path would write to a device, pipe or descriptor rather than replace a file.
func IsStream(path string) bool {
	d, err := follow(path)
	return err == nil && d.stream && !d.mode.IsDir()
}

// IsStandardOutput reports whether path names the standard output of this process, as /dev/stdout does.
func IsStandardOutput(path string) bool {
	d, err := follow(path)
	return err == nil && d.fd == 1
}

// open opens the stream.
func (d destination) open() (*os.File, error) {
	if d.fd >= 0 {
		return duplicate(d.fd)
	}
	if d.mode&(fs.ModeDevice|fs.ModeNamedPipe) == 0 && !d.mode.IsRegular() {
		return nil, fmt.Errorf("it exists and is a %s", ModeName(d.mode))
	}
	return os.OpenFile(d.path, os.O_WRONLY, 0)
}

// check returns an error if the stream cannot be written. It does not wait for the reader of a pipe.
func (d destination) check() error {
	if d.mode&fs.ModeNamedPipe != 0 {
		return mayWrite(d.path)
	}
	f, err := d.open()
	if err != nil {
		return err
	}
	return f.Close()
}

// write calls fill, and then copies what it wrote to the stream. If fill fails, the stream gets nothing.
func (d destination) write(fill func(io.Writer) error) (err error) {
	if err := d.check(); err != nil {
		return err
	}
	spool, err := os.CreateTemp("", "spoor-output-")
	if err != nil {
		return fmt.Errorf("keeping the output until it is complete: %w", err)
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	defer os.Remove(spool.Name()) // fails where it was already removed
	_ = os.Remove(spool.Name())   // now, so that a killed run leaves nothing; some systems remove no open file
	w := bufio.NewWriter(spool)
	if err := errors.Join(fill(w), w.Flush()); err != nil {
		return err
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	to, err := d.open()
	if err != nil {
		return err
	}
	_, err = io.Copy(to, spool)
	return errors.Join(err, to.Close())
}

// ModeName says what a path is that is no regular file.
func ModeName(m os.FileMode) string {
	if m.IsDir() {
		return "directory"
	}
	return "device or pipe"
}
