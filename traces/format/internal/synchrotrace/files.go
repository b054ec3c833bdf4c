package synchrotrace

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"spoor/traces/internal/input"
	"strconv"
	"strings"
)

var (
	syncEvents = regexp.MustCompile(`^sigil\.events\.out-(\d+)(\.[a-z0-9]+)?$`)
	syncNames  = regexp.MustCompile(`^sigil\.pthread\.out(\.[a-z0-9]+)?$`)
	syncNumbed = regexp.MustCompile(`out-(\d{1,9})(\.[a-z0-9]+)?$`)
)

// syncThread is a file of events.
type syncThread struct {
	file   int
	number uint64 // of the thread, from 1
}

// Expand lists sigil.pthread.out and the files sigil.events.out-N of a folder.
func (SynchroTrace) Expand(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names, events []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
		case syncEvents.MatchString(e.Name()):
			events = append(events, path)
		case syncNames.MatchString(e.Name()):
			names = append(names, path)
		}
	}
	if len(events) == 0 {
		return nil, nil
	}
	return append(names, events...), nil
}

// sort separates the files of thread names from the files of threads. It numbers
// threads by their file names, or else by the order of the files.
func (p *syncParser) sort(files *input.Files) (threads []syncThread, err error) {
	numbered := true
	for i := range files.Len() {
		name := filepath.Base(files.Path(i))
		if strings.Contains(name, "pthread") {
			p.names = append(p.names, i)
			continue
		}
		t := syncThread{file: i, number: uint64(len(threads) + 1)}
		if m := syncNumbed.FindStringSubmatch(name); m != nil && numbered {
			t.number, _ = strconv.ParseUint(m[1], 10, 64)
		} else {
			numbered = false
		}
		threads = append(threads, t)
	}
	if len(threads) == 0 {
		return nil, fmt.Errorf("%s: this file has only names of threads; also give the files sigil.events.out-N, or give the folder", files.Path(0))
	}
	if !numbered {
		for i := range threads {
			threads[i].number = uint64(i + 1)
		}
		return threads, nil
	}
	slices.SortStableFunc(threads, func(a, b syncThread) int { return cmp.Compare(a.number, b.number) })
	for i := 1; i < len(threads); i++ {
		if a, b := threads[i-1], threads[i]; a.number == b.number {
			return nil, fmt.Errorf("%s: %s also has the events of thread %d; give the files of one trace", files.Path(b.file), files.Path(a.file), a.number)
		}
	}
	if threads[0].number == 0 {
		return nil, fmt.Errorf("%s: thread 0; threads are numbered from 1", files.Path(threads[0].file))
	}
	return threads, nil
}
