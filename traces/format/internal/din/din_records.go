package din

import (
	"io"
	"strconv"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/export"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// dinCounter maps Dinero's operations to references. From the first instruction fetch
// on, each fetch is one instruction and data references belong to it. Before the first
// fetch, and without fetches, every reference is one instruction.
type dinCounter struct {
	o       format.Options
	stream  *emit.Stream
	count   int // of references since the last one that had a fetch
	fetches bool
	before  int // data references before the first fetch
	misc    int
	run     emit.Run
	since   uint32 // instructions since the last reference of run
}

// record appends a reference.
func (c *dinCounter) record(index uint8, addr uint64, size uint16) {
	c.plain(index, addr, size)
	c.appendPlain()
}

// plain adds a reference to the run.
func (c *dinCounter) plain(index uint8, addr uint64, size uint16) {
	c.count++
	op := dinOps[index]
	if index == dinMisc {
		c.misc++
	}
	if op == trace.Ifetch {
		c.fetches = true
		c.since++
		if c.o.DropIfetch {
			return
		}
	} else if !c.fetches {
		c.before++
		c.since++
	}
	if c.run.Len() == emit.RunRows {
		c.stream.Append(&c.run)
	}
	c.run.Add(c.since, addr, size, op)
	c.since = 0
}

// appendPlain appends the run.
func (c *dinCounter) appendPlain() {
	c.stream.Append(&c.run)
	c.stream.Execute(uint64(c.since))
	c.since = 0
}

func (c *dinCounter) notes() (all []string) {
	switch {
	case !c.fetches:
		all = append(all, "no instruction fetches: every reference counts as one instruction")
	case c.before > 0:
		all = append(all, input.Plural(c.before, "reference")+" before the first instruction fetch counted as one instruction each")
	}
	if c.misc > 0 {
		all = append(all, input.Plural(c.misc, "misc reference")+" stored as loads")
	}
	return all
}

// Export writes the references of one processor, one line each.
func (Din) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	notes, err := export.ExportText(src, o, w, dinLine, "din")
	return append(notes, "din has no sizes: readers assume 4 bytes for every reference"), err
}

// Export writes the references of one processor, one line each.
func (XDin) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	return export.ExportText(src, o, w, xdinLine, "xdin")
}

// dinIndexOf returns the index in dinOps of an operation, if Dinero has it.
func dinIndexOf(op trace.Op) (int, bool) {
	switch op {
	case trace.Load:
		return 0, true
	case trace.Store:
		return 1, true
	case trace.Ifetch:
		return 2, true
	case trace.Flush:
		return 4, true
	}
	return 0, false
}

func dinLine(line []byte, addr uint64, _ uint16, op trace.Op) []byte {
	if i, ok := dinIndexOf(op); ok {
		line = append(line, dinLabels[i], ' ')
		line = append(strconv.AppendUint(line, addr, 16), '\n')
	}
	return line
}

func xdinLine(line []byte, addr uint64, size uint16, op trace.Op) []byte {
	if i, ok := dinIndexOf(op); ok {
		line = append(line, xdinTypes[i], ' ')
		line = append(strconv.AppendUint(line, addr, 16), ' ')
		line = append(strconv.AppendUint(line, uint64(size), 16), '\n')
	}
	return line
}
