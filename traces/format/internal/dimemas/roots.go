package dimemas

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"spoor/traces/trace"
)

// has reports whether a task is a member.
func (c *communicator) has(task int64) bool {
	_, is := slices.BinarySearch(c.tasks, task)
	return is
}

// census has the roots of all collectives that have one, found in a pass of its own: the records of the root can be
// behind those of other members.
type census struct {
	of     map[int64][]candidates // by communicator
	passed map[[2]int64]int       // of a communicator and a task
}

// candidates are what the members of one collective say of its root.
type candidates struct {
	first   int64 // value of the first member
	members int32
	marked  int32 // members with the value 1
	root    int32 // the last of them
	differ  bool
}

// rootOf returns the root of the next collective of the rank in a communicator.
func (p *parser) rootOf(id int64, c *communicator) (int32, error) {
	if len(c.tasks) == 1 {
		return p.rank.number, nil
	}
	if p.roots == nil {
		if err := p.takeCensus(); err != nil {
			return 0, err
		}
	}
	turn := p.rank.turns[id]
	p.rank.turns[id]++
	if turn >= len(p.roots.of[id]) {
		return 0, p.Fail(p.raw, "the file changed while it was read", "")
	}
	switch all := &p.roots.of[id][turn]; {
	case int(all.members) < len(c.tasks):
		return 0, p.Fail(p.raw, fmt.Sprintf("%d of the %d tasks of communicator %d take part in this collective", all.members, len(c.tasks), id), "the file may be cut")
	case !all.differ && c.has(all.first):
		return int32(all.first), nil
	case all.differ && all.marked == 1 && c.has(int64(all.root)):
		return all.root, nil
	}
	return 0, p.Fail(p.raw, fmt.Sprintf("no root: the %d tasks of communicator %d name neither the same task nor mark one with 1", len(c.tasks), id), "")
}

// takeCensus reads the file once more. It skips what it does not understand, because the parser reports that.
func (p *parser) takeCensus() error {
	in, err := p.files.Again(0)
	if err != nil {
		return err
	}
	defer in.Close()
	p.roots = &census{of: map[int64][]candidates{}, passed: map[[2]int64]int{}}
	var scan parser
	return scan.Lines(in, func(line []byte, _ bool) error {
		if line = scan.Trim(line); bytes.HasPrefix(line, []byte("10:")) {
			p.roots.line(bytes.Split(line, []byte(":")))
		}
		return nil
	})
}

// line counts the record of a collective with a root.
func (c *census) line(fields [][]byte) {
	var v [5]int64 // task, thread, operation, communicator, root
	if len(fields) < 9 || len(fields) == 10 && string(fields[9]) == strconv.Itoa(waits) {
		return
	}
	for i := range v {
		var err error
		if v[i], err = strconv.ParseInt(string(fields[1+i]), 10, 32); err != nil {
			return
		}
	}
	if v[1] != 0 || v[2] < 0 || v[2] >= int64(len(operations)) || !operations[v[2]].rooted {
		return
	}
	task, comm, root := v[0], v[3], v[4]
	turn := c.passed[[2]int64{comm, task}]
	c.passed[[2]int64{comm, task}]++
	if turn == len(c.of[comm]) {
		c.of[comm] = append(c.of[comm], candidates{first: root, root: trace.None})
	}
	all := &c.of[comm][turn]
	all.members++
	all.differ = all.differ || root != all.first
	if root == 1 {
		all.marked++
		all.root = int32(task)
	}
}
