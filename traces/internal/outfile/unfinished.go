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

// record writes that the file or folder at path begins (+) or is finished or removed (-).
func record(sign, path string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.to != nil {
		_, _ = io.WriteString(unfinished.to, sign+path+"\x00") // the other process may have been killed
	}
}

// RemoveUnfinished removes the files and folders that are unfinished by the records of a killed process.
func RemoveUnfinished(records string) {
	left := map[string]bool{}
	for _, r := range strings.Split(records, "\x00") {
		if r != "" {
			left[r[1:]] = r[0] == '+'
		}
	}
	for path, is := range left {
		if is && strings.HasSuffix(filepath.Base(path), PartialSuffix) {
			os.RemoveAll(path)
		}
	}
}
