package gem5

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"spoor/traces/format/internal/export"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// The header of an exported trace.
const (
	gem5Object    = "spoor"
	gem5Frequency = 1e12 // ticks per second, gem5's own
)

// gem5Codes maps operations to commands and flags. It uses only commands with the same
// number in all versions of gem5.
var gem5Codes = map[trace.Op]struct{ cmd, flags uint64 }{
	trace.Load: {gem5ReadReq, 0}, trace.Store: {gem5WriteReq, 0},
	trace.Ifetch: {gem5ReadReq, gem5InstFetch}, trace.Prefetch: {gem5ReadReq, gem5PrefetchFlag},
}

// Export writes the references of all chosen processors, merged by instructions
// executed; ties are ordered by processor. The tick of a packet is the instructions
// executed times --set ticks. pkt_id is the processor.
func (f Gem5) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	ticks, problem := input.ParseDecimal([]byte(o.Setting(f, gem5Ticks)))
	if problem != "" || ticks == 0 || ticks > math.MaxUint32 {
		return nil, format.BadSetting("%s=%s: give the ticks per instruction, from 1 to 2^32-1", gem5Ticks, o.Setting(f, gem5Ticks))
	}
	procs := o.Chosen(src.Header().Procs)
	x := gem5Writer{out: bufio.NewWriterSize(w, 1<<16), ticks: ticks}
	x.out.Write(gem5Magic)
	if err := x.message(gem5HeaderOf(procs)); err != nil {
		return nil, err
	}
	if err := export.MergeRefs(src, procs, x.packet); err != nil {
		return nil, err
	}
	if err := x.lost.CountEvents(src, procs); err != nil {
		return nil, err
	}
	notes := append(x.lost.Notes(f.Info().Name), fmt.Sprintf("%s has ticks: an instruction takes %d, at 10^12 ticks per second", f.Info().Name, ticks))
	return notes, x.out.Flush()
}

// gem5HeaderOf returns the first message.
func gem5HeaderOf(procs []trace.Proc) (m []byte) {
	m = protowire.AppendString(protowire.AppendTag(m, 1, protowire.BytesType), gem5Object)
	m = appendNumber(m, 2, 0)
	m = appendNumber(m, 3, gem5Frequency)
	for _, p := range procs {
		id := appendNumber(nil, 1, uint64(p))
		id = protowire.AppendString(protowire.AppendTag(id, 2, protowire.BytesType), "processor"+strconv.Itoa(int(p)))
		m = protowire.AppendBytes(protowire.AppendTag(m, 4, protowire.BytesType), id)
	}
	return m
}

func appendNumber(m []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

// gem5Writer writes messages.
type gem5Writer struct {
	out   *bufio.Writer
	ticks uint64 // per instruction
	buf   []byte
	size  [binary.MaxVarintLen64]byte
	lost  export.Losses
}

func (x *gem5Writer) message(m []byte) error {
	x.out.Write(x.size[:binary.PutUvarint(x.size[:], uint64(len(m)))])
	_, err := x.out.Write(m)
	return err
}

// packet writes the current reference of c.
func (x *gem5Writer) packet(c *export.Cursor) error {
	op := c.Refs.Op[c.At]
	x.lost.Gaps = x.lost.Gaps || c.Refs.Instr[c.At] > 1 || (c.Refs.Instr[c.At] == 1) != (op == trace.Ifetch)
	code, ok := gem5Codes[op]
	if !ok {
		x.lost.Drop(op)
		return nil
	}
	tick := uint64(math.MaxUint64)
	if c.Pos < math.MaxUint64/x.ticks {
		tick = c.Pos * x.ticks
	}
	m := appendNumber(x.buf[:0], gem5Tick, tick)
	m = appendNumber(m, gem5Cmd, code.cmd)
	m = appendNumber(m, gem5Addr, c.Refs.Addr[c.At])
	m = appendNumber(m, gem5Size, uint64(c.Refs.Size[c.At]))
	m = appendNumber(m, gem5Flags, code.flags)
	m = appendNumber(m, gem5ID, uint64(c.Proc))
	if c.Refs.PC != nil {
		m = appendNumber(m, gem5PC, c.Refs.PC[c.At])
	}
	x.buf = m
	return x.message(m)
}
