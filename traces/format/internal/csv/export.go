package csv

import (
	"bufio"
	"io"
	"strconv"

	"spoor/traces/format/internal/export"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

var csvOps = map[trace.Op]byte{trace.Load: 'R', trace.Store: 'W', trace.Ifetch: 'I', trace.Prefetch: 'P', trace.Flush: 'F'}

// Export writes the references of all chosen processors, merged by instructions
// executed; ties are ordered by processor. time is the instructions executed.
func (CSV) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	procs := o.Chosen(src.Header().Procs)
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.WriteString("time,tid,op,addr,size\n"); err != nil {
		return nil, err
	}
	var line []byte
	var x csvGaps
	if err := export.MergeRefs(src, procs, func(c *export.Cursor) error {
		x.see(c)
		line = appendCSV(line[:0], c)
		_, err := out.Write(line)
		return err
	}); err != nil {
		return nil, err
	}
	var lost export.Losses
	if err := lost.CountEvents(src, procs); err != nil {
		return nil, err
	}
	return append(lost.Notes("csv"), x.notes()...), out.Flush()
}

// csvGaps notices times that import would shift or refuse.
type csvGaps struct{ begun, wide bool }

func (x *csvGaps) see(c *export.Cursor) {
	x.wide = x.wide || c.Refs.Instr[c.At] > csvMaxGap || !x.begun && c.Pos > csvNearZero
	x.begun = true
}

func (x *csvGaps) notes() []string {
	if !x.wide {
		return nil
	}
	return []string{"to import the times as they are, use --csv-time=exact"}
}

func appendCSV(line []byte, c *export.Cursor) []byte {
	line = append(strconv.AppendUint(line, c.Pos, 10), ',')
	line = append(strconv.AppendInt(line, int64(c.Proc), 10), ',')
	line = append(line, csvOps[c.Refs.Op[c.At]], ',', '0', 'x')
	line = append(strconv.AppendUint(line, c.Refs.Addr[c.At], 16), ',')
	return append(strconv.AppendUint(line, uint64(c.Refs.Size[c.At]), 10), '\n')
}
