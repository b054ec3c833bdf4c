package format

import (
	"bufio"
	"container/heap"
	"io"
	"strconv"

	"spoor/traces/trace"
)

var csvOps = map[trace.Op]byte{trace.Load: 'R', trace.Store: 'W', trace.Ifetch: 'I', trace.Prefetch: 'P', trace.Flush: 'F'}

// Loses says what of a trace the format cannot express.
func (CSV) Loses() string {
	return "events, pc"
}

// Export writes the references of all chosen processors, merged by instructions
// executed, ties by processor; time is the instructions executed.
func (CSV) Export(src trace.Source, o ExportOptions, w io.Writer) ([]string, error) {
	procs := o.chosen(src)
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.WriteString("time,tid,op,addr,size\n"); err != nil {
		return nil, err
	}
	if err := mergeCSV(src, procs, out); err != nil {
		return nil, err
	}
	var lost losses
	if err := lost.countEvents(src, procs); err != nil {
		return nil, err
	}
	return lost.notes("csv"), out.Flush()
}

func mergeCSV(src trace.Source, procs []trace.Proc, out *bufio.Writer) error {
	var next mergeHeap
	defer func() {
		for _, c := range next {
			c.stop()
		}
	}()
	for _, p := range procs {
		c, err := newCursor(src, p)
		if err != nil || c.refs == nil {
			c.stop()
			if err != nil {
				return err
			}
			continue
		}
		next = append(next, c)
	}
	heap.Init(&next)
	var line []byte
	for len(next) > 0 {
		c := next[0]
		line = appendCSV(line[:0], c)
		if _, err := out.Write(line); err != nil {
			return err
		}
		if err := c.advance(); err != nil {
			return err
		}
		if c.refs == nil {
			c.stop()
			heap.Pop(&next)
		} else if len(next) > 1 {
			heap.Fix(&next, 0)
		}
	}
	return nil
}

func appendCSV(line []byte, c *cursor) []byte {
	line = append(strconv.AppendUint(line, c.pos, 10), ',')
	line = append(strconv.AppendInt(line, int64(c.proc), 10), ',')
	line = append(line, csvOps[c.refs.Op[c.at]], ',', '0', 'x')
	line = append(strconv.AppendUint(line, c.refs.Addr[c.at], 16), ',')
	return append(strconv.AppendUint(line, uint64(c.refs.Size[c.at]), 10), '\n')
}

// mergeHeap has the cursor of the earliest reference first.
type mergeHeap []*cursor

func (h mergeHeap) Len() int { return len(h) }
func (h mergeHeap) Less(i, j int) bool {
	return h[i].pos < h[j].pos || h[i].pos == h[j].pos && h[i].proc < h[j].proc
}
func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *mergeHeap) Push(x any)   { *h = append(*h, x.(*cursor)) }
func (h *mergeHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
