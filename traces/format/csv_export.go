package format

import (
	"bufio"
	"io"
	"strconv"

	"spoor/traces/trace"
)

var csvOps = map[trace.Op]byte{trace.Load: 'R', trace.Store: 'W', trace.Ifetch: 'I', trace.Prefetch: 'P', trace.Flush: 'F'}

// Loses returns what the format cannot express.
func (CSV) Loses() string {
	return "events, pc"
}

// Export writes the references of all chosen processors, merged by instructions
// executed; ties are ordered by processor. time is the instructions executed.
func (CSV) Export(src trace.Source, o ExportOptions, w io.Writer) ([]string, error) {
	procs := o.chosen(src)
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.WriteString("time,tid,op,addr,size\n"); err != nil {
		return nil, err
	}
	var line []byte
	var x csvGaps
	if err := mergeRefs(src, procs, func(c *cursor) error {
		x.see(c)
		line = appendCSV(line[:0], c)
		_, err := out.Write(line)
		return err
	}); err != nil {
		return nil, err
	}
	var lost losses
	if err := lost.countEvents(src, procs); err != nil {
		return nil, err
	}
	return append(lost.notes("csv"), x.notes()...), out.Flush()
}

// csvGaps notices times that import would shift or refuse.
type csvGaps struct{ begun, wide bool }

func (x *csvGaps) see(c *cursor) {
	x.wide = x.wide || c.refs.Instr[c.at] > csvMaxGap || !x.begun && c.pos > csvNearZero
	x.begun = true
}

func (x *csvGaps) notes() []string {
	if !x.wide {
		return nil
	}
	return []string{"to import the times as they are, use --csv-time=exact"}
}

func appendCSV(line []byte, c *cursor) []byte {
	line = append(strconv.AppendUint(line, c.pos, 10), ',')
	line = append(strconv.AppendInt(line, int64(c.proc), 10), ',')
	line = append(line, csvOps[c.refs.Op[c.at]], ',', '0', 'x')
	line = append(strconv.AppendUint(line, c.refs.Addr[c.at], 16), ',')
	return append(strconv.AppendUint(line, uint64(c.refs.Size[c.at]), 10), '\n')
}
