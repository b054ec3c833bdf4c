package format

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

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
// such files, it lists trace.txt if that exists.
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
		if len(paths) == 0 && !f.recognises(path) {
			break
		}
		if other, twice := numbers[n]; twice {
			return nil, fmt.Errorf("%s: %s and %s are both rank-%d, so the folder may hold two traces; give the files of one, or its list", dir, other, e.Name(), n)
		}
		numbers[n] = e.Name()
		paths = append(paths, path)
	}
	if list := filepath.Join(dir, tiListName); len(paths) == 0 && f.recognises(list) {
		return []string{list}, nil
	}
	slices.SortFunc(paths, func(a, b string) int {
		i, _ := tiRankInName([]byte(filepath.Base(a)))
		j, _ := tiRankInName([]byte(filepath.Base(b)))
		return i - j
	})
	return paths, nil
}

// recognises reports whether the file at path looks like this format. It returns false for
// an unreadable file; the import then reports the reason.
func (f SimGridTI) recognises(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	in, err := Open(context.Background(), path, nil, nil)
	if err != nil {
		return false
	}
	defer in.Close()
	head, err := in.Head()
	return err == nil && f.Sniff(bytes.TrimPrefix(head, utf8BOM)).Confidence != Foreign
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
	if !isTIList(bytes.TrimPrefix(head, utf8BOM)) {
		return p.readShared(0)
	}
	if err := p.readList(in); err != nil {
		return err
	}
	in.Close()
	if p.files.Len() == 2 {
		return p.readShared(1)
	}
	p.listed = true
	return p.readRanks(1, p.files.Len())
}

// isTIList reports whether the first line is not an action, because it does not start
// with a number.
func isTIList(head []byte) bool {
	first := tiFirstAction(head)
	if first == nil || checkEncoding("", head) != nil {
		return false
	}
	field, _, _ := bytes.Cut(first, []byte(" "))
	field, _, _ = bytes.Cut(field, []byte("\t"))
	_, problem := tiInteger(field)
	return problem != ""
}

// readList adds the files that a list names. Relative names are looked up in the
// current folder, then in the folder of the list.
func (p *tiParser) readList(in *Input) error {
	var missing []string
	var first error
	err := p.lines(in, func(line []byte, _ bool) error {
		if line = p.trim(line); len(line) == 0 || line[0] == '#' {
			return nil
		}
		if p.files.Len() > tiMaxRanks {
			return p.fail(line, fmt.Sprintf("more than %d files in the list", tiMaxRanks), "")
		}
		path, problem := tiListedFile(in.Name, string(line))
		switch {
		case problem == "":
			p.files.Add(path)
		case first == nil:
			first = p.fail(line, "the listed file "+problem, "names are relative to the current folder, or to the folder of the list")
		case len(missing) < 2:
			missing = append(missing, fmt.Sprintf("; also line %d: %s", p.line, quote(line)))
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
	p.total += uint64(p.line)
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
			return p.fail(nil, "end of file after no actions", "each file of a trace has the actions of one rank")
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
	p.line, p.at.File = 0, int32(file)
	if err := p.lines(in, p.act); err != nil {
		return err
	}
	in.Close()
	p.total += uint64(p.line)
	return nil
}
