package simgridti

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// tiMaxRanks limits the rank numbers, because tables are allocated for them.
const tiMaxRanks = 1 << 20

// tiRankInName finds N of rank-N in the name of a file; the last one counts.
func tiRankInName(name []byte) (n int, ok bool) {
	at := bytes.LastIndex(name, []byte("rank-"))
	if at < 0 {
		return 0, false
	}
	digits := name[at+len("rank-"):]
	end := 0
	for end < len(digits) && digits[end]-'0' <= 9 {
		end++
	}
	n, err := strconv.Atoi(string(digits[:end]))
	return n, err == nil
}

func isTIRankFile(line []byte) bool {
	_, ok := tiRankInName(line)
	return ok && !bytes.ContainsAny(line, " \t,;")
}

// tiListName is the name of the list of files in the folder of a trace.
const tiListName = "trace.txt"

// Expand lists the files of a folder whose names have rank-N, ordered by N. Without
// such files, it lists trace.txt if that exists, or else what expandAny finds.
func (f SimGridTI) Expand(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	numbers := map[int]string{}
	for _, e := range entries {
		n, ok := tiRankInName([]byte(e.Name()))
		if !ok || e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if len(paths) == 0 && f.kindOf(path) == tiOther {
			break
		}
		if other, twice := numbers[n]; twice {
			return nil, fmt.Errorf("%s: %s and %s are both rank-%d, so the folder may hold two traces; give the files of one, or its list", dir, other, e.Name(), n)
		}
		numbers[n] = e.Name()
		paths = append(paths, path)
	}
	if list := filepath.Join(dir, tiListName); len(paths) == 0 && f.kindOf(list) != tiOther {
		return []string{list}, nil
	}
	if len(paths) == 0 {
		return f.expandAny(dir, entries)
	}
	slices.SortFunc(paths, func(a, b string) int {
		i, _ := tiRankInName([]byte(filepath.Base(a)))
		j, _ := tiRankInName([]byte(filepath.Base(b)))
		return i - j
	})
	return paths, nil
}

// tiTries is the number of files of other kinds after which expandAny gives up.
const tiTries = 32

// expandAny lists the files of a folder whatever their names are: the list if there is
// one, or else all files, if each has actions.
func (f SimGridTI) expandAny(dir string, entries []os.DirEntry) ([]string, error) {
	var lists, ranks []string
	other := ""
	for i, e := range entries {
		if i >= tiTries && len(lists)+len(ranks) == 0 {
			return nil, nil
		}
		path := filepath.Join(dir, e.Name())
		switch f.kindOf(path) {
		case tiList:
			lists = append(lists, path)
		case tiRanksFile:
			ranks = append(ranks, path)
		default:
			if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				other = e.Name()
			}
		}
	}
	switch {
	case len(lists) > 1:
		return nil, fmt.Errorf("%s: the folder has several lists of files, such as %s and %s; give one of them", dir, lists[0], filepath.Base(lists[1]))
	case len(lists) == 1:
		return lists, nil
	case len(ranks) > 0 && other != "":
		return nil, fmt.Errorf("%s: %s has actions of SimGrid, but %s has not; give the list of the files, or the files themselves", dir, filepath.Base(ranks[0]), other)
	}
	return ranks, nil
}

// tiKind is what a file of a trace holds.
type tiKind uint8

const (
	tiOther tiKind = iota
	tiRanksFile
	tiList
)

// kindOf judges the file at path. An unreadable file is another; the import then reports
// the reason.
func (f SimGridTI) kindOf(path string) tiKind {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return tiOther
	}
	in, err := input.Open(context.Background(), path, nil, nil)
	if err != nil {
		return tiOther
	}
	defer in.Close()
	head, err := in.Head()
	head = bytes.TrimPrefix(head, input.Utf8BOM)
	switch {
	case err != nil:
		return tiOther
	case f.Sniff(head).Confidence == format.Likely:
		return tiRanksFile
	case sniffNames(in, head).Confidence == format.Likely:
		return tiList
	}
	return tiOther
}

// readAll parses the files: all that were given, or those in a list.
func (p *tiParser) readAll() error {
	if n := p.files.Len(); n > 1 {
		return p.readRanks(0, n)
	}
	in, err := p.files.Open(0)
	if err != nil {
		return err
	}
	head, err := in.Head()
	if err != nil {
		return err
	}
	if !isTIList(in.Name, bytes.TrimPrefix(head, input.Utf8BOM)) {
		return p.readShared(0)
	}
	if err := p.readList(in); err != nil {
		return err
	}
	in.Close()
	p.firstFile = 1
	if p.files.Len() == 2 {
		return p.readShared(1)
	}
	p.listed = true
	return p.readRanks(1, p.files.Len())
}

// isTIList reports whether the first line is not an action: it does not start with a
// number, or it is a number that is the name of a file.
func isTIList(name string, head []byte) bool {
	first := tiFirstAction(head)
	if first == nil || input.CheckEncoding("", head) != nil {
		return false
	}
	fields := bytes.Fields(first)
	if _, problem := tiInteger(fields[0]); problem != "" {
		return true
	}
	_, problem := tiListedFile(name, string(first))
	return len(fields) == 1 && problem == ""
}

// readList adds the files that a list names. Relative names are looked up in the
// current folder, then in the folder of the list.
func (p *tiParser) readList(in *input.Input) error {
	var missing []string
	var first error
	err := p.Lines(in, func(line []byte, _ bool) error {
		if line = p.Trim(line); len(line) == 0 || line[0] == '#' {
			return nil
		}
		if p.files.Len() > tiMaxRanks {
			return p.Fail(line, fmt.Sprintf("more than %d files in the list", tiMaxRanks), "")
		}
		path, problem := tiListedFile(in.Name, string(line))
		switch {
		case problem == "":
			p.files.Add(path)
		case first == nil:
			first = p.Fail(line, "the listed file "+problem, "names are relative to the current folder, or to the folder of the list")
		case len(missing) < 2:
			missing = append(missing, fmt.Sprintf("; also line %d: %s", p.Line, input.Quote(line)))
		}
		return nil
	})
	if err == nil && first != nil {
		bad := first.(*trace.SyntaxError)
		for _, m := range missing {
			bad.Msg += m
		}
		err = bad
	}
	p.total += uint64(p.Line)
	return err
}

// tiListedFile returns the path of a file in a list, or the reason why it is missing.
func tiListedFile(list, name string) (path, problem string) {
	problem = "does not exist"
	for _, path := range []string{name, filepath.Join(filepath.Dir(list), name)} {
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() {
			return path, ""
		}
		if err == nil {
			problem = "is not a plain file"
		}
	}
	return "", problem
}

// readShared parses a file of all ranks.
func (p *tiParser) readShared(file int) error {
	p.shared = true
	return p.readFile(file)
}

// readRanks parses files of one rank each.
func (p *tiParser) readRanks(from, to int) error {
	if p.given && p.procs != to-from {
		return fmt.Errorf("%s: %d files of one rank each, but --set %s=%d", p.files.Path(0), to-from, tiRanks, p.procs)
	}
	p.procs = to - from
	p.messages.InTurn()
	for file := from; file < to; file++ {
		p.owner = nil
		if p.listed {
			p.expected = int32(file - from)
		} else {
			p.expected = trace.None
		}
		if err := p.readFile(file); err != nil {
			return err
		}
		if p.owner == nil {
			return p.Fail(nil, "end of file after no actions", "each file of a trace has the actions of one rank")
		}
		if err := p.checkFinalized(p.owner); err != nil {
			return err
		}
	}
	return nil
}

// readFile parses one file and closes it.
func (p *tiParser) readFile(file int) error {
	in, err := p.files.Open(file)
	if err != nil {
		return err
	}
	p.Line, p.at.File = 0, int32(file)
	if err := p.FastLines(in, p.fast, p.act); err != nil {
		return err
	}
	in.Close()
	p.total += uint64(p.Line)
	return nil
}
