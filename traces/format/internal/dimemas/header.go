package dimemas

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// header reads the first line: #DIMEMAS:"name":offsets[,place]:tasks(threads,...),communicators, and the tasks with
// accelerators and with OpenMP, which are not used.
func (p *parser) header(line []byte) error {
	const form = `it is ` + magic + `"NAME":OFFSETS:TASKS(THREADS,...),COMMUNICATORS`
	rest, is := bytes.CutPrefix(line, []byte(magic+`"`))
	name, rest, named := bytes.Cut(rest, []byte(`":`))
	offsets, tasks, split := bytes.Cut(rest, []byte(":"))
	count, threads, open := bytes.Cut(tasks, []byte("("))
	threads, _, closed := bytes.Cut(threads, []byte(")"))
	if !is || !named || !split || !open || !closed {
		return p.Fail(line, "not the header of a trace of Dimemas", form)
	}
	switch present, place, placed := bytes.Cut(offsets, []byte(",")); {
	case bytes.HasPrefix(place, []byte("X")):
		return p.Fail(line, "the header has no place of the offsets", "prv2dim did not finish; convert the trace again")
	case string(present) == "0":
	case string(present) == "1" && placed:
		p.offsets = true
	default:
		return p.Fail(line, fmt.Sprintf("offsets %s are neither 0 nor 1 and a place", input.Quote(offsets)), form)
	}
	n, err := strconv.Atoi(string(count))
	if err != nil || n < 1 || n > maxTasks {
		return p.Fail(line, fmt.Sprintf("%s is not a number of tasks from 1 to %d", input.Quote(count), maxTasks), form)
	}
	if list := bytes.Count(threads, []byte(",")) + 1; list != n {
		return p.Fail(line, fmt.Sprintf("threads of %d tasks, but there are %d tasks", list, n), form)
	}
	for text := range bytes.SplitSeq(threads, []byte(",")) {
		v, err := strconv.ParseInt(string(text), 10, 32)
		switch {
		case err != nil || v < 1:
			return p.Fail(line, fmt.Sprintf("%s is not a number of threads", input.Quote(text)), form)
		case v > 1 && !p.first:
			return p.Fail(nil, fmt.Sprintf("task %d has %d threads, but a rank of Spoor has one", len(p.threads), v), "--set threads=first reads the first thread of each task only")
		}
		p.threads = append(p.threads, v)
	}
	p.name, p.done = strings.ToValidUTF8(string(name), "?"), make([]bool, n)
	return nil
}

// communicator is a group of tasks.
type communicator struct {
	tasks []int64 // ascending
	group int32
	users int // tasks that take part in its collectives
}

// define reads the definition of a communicator.
func (p *parser) define() error {
	switch {
	case p.rank != nil:
		return p.Fail(p.raw, "a definition behind the first record", "")
	case len(p.fields) > 1 && (string(p.fields[1]) == "2" || string(p.fields[1]) == "3"):
		p.definitions++
		return nil
	case len(p.fields) < 4 || string(p.fields[1]) != "1":
		return p.Fail(p.raw, "not the definition of a communicator", "it is d:1:COMMUNICATOR:N:TASK:...")
	}
	id, n := p.number(2, "communicator", 0, math.MaxInt32), p.number(3, "number of tasks", 1, int64(len(p.threads)))
	c := &communicator{group: int32(id)}
	for i := range p.fields[4:] {
		c.tasks = append(c.tasks, p.number(4+i, "task", 0, int64(len(p.threads)-1)))
	}
	slices.Sort(c.tasks)
	switch {
	case p.problem != nil:
		return p.problem
	case int64(len(c.tasks)) != n:
		return p.Fail(p.raw, fmt.Sprintf("communicator %d has %d tasks, but %d are listed", id, n, len(c.tasks)), "")
	case len(slices.Compact(slices.Clone(c.tasks))) != len(c.tasks):
		return p.Fail(p.raw, fmt.Sprintf("communicator %d lists a task twice", id), "")
	case p.comms[id] != nil:
		return p.Fail(p.raw, fmt.Sprintf("communicator %d is defined twice", id), "")
	}
	if len(c.tasks) == len(p.threads) && p.world == nil {
		p.world, c.group = c, trace.None
	}
	p.comms[id] = c
	return nil
}

// place reads the offsets of a task.
func (p *parser) place() error {
	switch {
	case len(p.fields) < 3:
		return p.Fail(p.raw, "not the offsets of a task", "they are s:TASK:OFFSET")
	case string(p.fields[1]) != strconv.Itoa(p.placed):
		return p.Fail(p.raw, fmt.Sprintf("not the offsets of task %d", p.placed), "they are in the order of tasks")
	case p.placed >= len(p.threads):
		return p.Fail(p.raw, fmt.Sprintf("offsets of more than %s", input.Plural(len(p.threads), "task")), "")
	}
	p.placed++
	return nil
}
