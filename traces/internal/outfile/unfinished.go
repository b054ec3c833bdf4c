package outfile

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// unfinished is where the names of unfinished files go.
var unfinished struct {
	sync.Mutex
	to io.Writer
}

// RecordUnfinished makes this process write the names of unfinished files to w, for a process that removes them if this one
// is killed.
func RecordUnfinished(w io.Writer) {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.to = w
}

// record writes that the file or folder at path will be opened (+), or that it is finished, removed or of another process (-).
func record(sign, path string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.to != nil {
		_, _ = io.WriteString(unfinished.to, sign+path+"\x00") // the other process may have been killed
	}
}

// RemoveUnfinished removes the files and folders that are unfinished by the records of a killed process, unless another
// process writes them.
func RemoveUnfinished(records string) {
	left := map[string]bool{}
	for _, r := range strings.Split(records, "\x00") {
		if r != "" {
			left[r[1:]] = r[0] == '+'
		}
	}
	for path, is := range left {
		if is && strings.HasSuffix(filepath.Base(path), PartialSuffix) {
			removeUnlocked(path)
		}
	}
}

// removeUnlocked removes the file or folder at path, unless another process has locked it.
func removeUnlocked(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if tryLock(f) {
		os.RemoveAll(path)
	}
}
