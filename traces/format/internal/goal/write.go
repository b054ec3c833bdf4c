package goal

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"spoor/traces/trace"
)

// text writes the schedule as text that txt2bin can read. Labels are l1, l2, ... in
// every rank. No line is indented, and no dependency precedes the operations that it
// names.
func (x *goalExport) text(w *bufio.Writer) error {
	fmt.Fprintf(w, "num_ranks %d\n", x.head.Procs)
	return x.ranks(&goalTextWriter{w: w, later: map[int64][]int64{}})
}

type goalTextWriter struct {
	w    *bufio.Writer
	line []byte
	n    int64 // number of operations of this rank

	// later maps operations to come to pairs: the dependent operation, and what exactly
	// it needs.
	later map[int64][]int64
}

func (t *goalTextWriter) begin(rank trace.Proc) error {
	t.n = 0
	_, err := fmt.Fprintf(t.w, "\nrank %d {\n", rank)
	return err
}

func (t *goalTextWriter) step(s *goalStep) error {
	t.n++
	b := append(t.line[:0], 'l')
	b = strconv.AppendInt(b, t.n, 10)
	switch s.kind {
	case trace.Send:
		b = t.message(append(b, ": send "...), "b to ", s)
	case trace.Recv:
		b = t.message(append(b, ": recv "...), "b from ", s)
	default:
		b = strconv.AppendInt(append(b, ": calc "...), s.size, 10)
	}
	b = append(b, '\n')
	for _, ref := range s.needs {
		if node := ref / 2; node >= t.n {
			t.later[node] = append(t.later[node], t.n, ref)
		} else {
			b = appendGoalEdge(b, t.n, ref)
		}
	}
	if len(t.later) > 0 {
		for edges := t.later[t.n-1]; len(edges) > 0; edges = edges[2:] {
			b = appendGoalEdge(b, edges[0], edges[1])
		}
		delete(t.later, t.n-1)
	}
	t.line = b
	_, err := t.w.Write(b)
	return err
}

// appendGoalEdge appends the line that says that label n needs ref.
func appendGoalEdge(b []byte, n, ref int64) []byte {
	b = strconv.AppendInt(append(b, 'l'), n, 10)
	verb := " requires l"
	if ref&1 == 1 {
		verb = " irequires l"
	}
	return append(strconv.AppendInt(append(b, verb...), ref/2+1, 10), '\n')
}

func (t *goalTextWriter) message(b []byte, direction string, s *goalStep) []byte {
	b = append(strconv.AppendInt(b, s.size, 10), direction...)
	b = append(strconv.AppendInt(b, int64(s.peer), 10), " tag "...)
	return strconv.AppendInt(b, int64(s.tag), 10)
}

func (t *goalTextWriter) end() error {
	_, err := t.w.WriteString("}\n")
	return err
}

// binary writes the schedule as txt2bin does. The jump table comes first; therefore the
// ranks are made twice, to measure and to write them.
func (x *goalExport) binary(w *bufio.Writer) error {
	measure := &goalBinaryWriter{}
	if err := x.ranks(measure); err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint64(nil, goalCookie)
	b = binary.LittleEndian.AppendUint32(b, uint32(x.head.Procs))
	b = append(b, 0, 0) // the highest cpu and nic
	at := uint64(goalTable - goalBase + goalRange*x.head.Procs)
	for _, size := range measure.sizes {
		b = binary.LittleEndian.AppendUint64(b, at)
		at += size
		b = binary.LittleEndian.AppendUint64(b, at)
	}
	if _, err := w.Write(b); err != nil {
		return err
	}
	return x.ranks(&goalBinaryWriter{w: w})
}

// goalBinaryWriter holds one rank at a time.
type goalBinaryWriter struct {
	w     *bufio.Writer // nil while the ranks are only measured
	sizes []uint64      // of each rank
	steps []goalStep    // without needs
	ends  []int         // end of the needs of each step in needs
	needs []int64
}

func (t *goalBinaryWriter) begin(trace.Proc) error {
	t.steps, t.ends, t.needs = t.steps[:0], t.ends[:0], t.needs[:0]
	return nil
}

func (t *goalBinaryWriter) step(s *goalStep) error {
	if len(t.steps) == math.MaxInt32 {
		return fmt.Errorf("a rank of the binary form has at most %d operations; export text", math.MaxInt32)
	}
	t.needs = append(t.needs, s.needs...)
	t.ends = append(t.ends, len(t.needs))
	kept := *s
	kept.needs = nil
	t.steps = append(t.steps, kept)
	return nil
}

// of returns the needs of step i.
func (t *goalBinaryWriter) of(i int) []int64 {
	from := 0
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.needs[from:t.ends[i]]
}

func (t *goalBinaryWriter) end() error {
	var roots []uint32
	for i := range t.steps {
		if len(t.of(i)) == 0 {
			roots = append(roots, uint32(i))
		}
	}
	if t.w == nil {
		t.sizes = append(t.sizes, uint64(goalCounts+goalIndex*len(roots)+goalNode*len(t.steps)+goalIndex*len(t.needs)))
		return nil
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(t.steps)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(roots)))
	for _, root := range roots {
		b = binary.LittleEndian.AppendUint32(b, root)
	}
	if _, err := t.w.Write(b); err != nil {
		return err
	}
	return t.nodes()
}

// nodes writes the operations, then the appendix. For each operation it lists the
// operations that wait for its end, then those that wait for its start.
func (t *goalBinaryWriter) nodes() error {
	starts := make([]uint32, 2*len(t.steps)+1) // starts of the lists in the appendix, alternating ends and starts
	for _, ref := range t.needs {
		starts[ref+1]++
	}
	for i := range starts[1:] {
		starts[i+1] += starts[i]
	}
	var b []byte
	for i := range t.steps {
		b = t.append(b[:0], i, starts[2*i:2*i+3])
		if _, err := t.w.Write(b); err != nil {
			return err
		}
	}
	appendix := make([]uint32, len(t.needs))
	for i := range t.steps {
		for _, ref := range t.of(i) {
			appendix[starts[ref]] = uint32(i)
			starts[ref]++
		}
	}
	return binary.Write(t.w, binary.LittleEndian, appendix)
}

// append appends operation i; its dependents are in the appendix from at[0] and at[1].
func (t *goalBinaryWriter) append(b []byte, i int, at []uint32) []byte {
	s := &t.steps[i]
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.of(i))))
	b = append(b, byte(goalTypeOf(s.kind)))
	peer, tag := uint32(s.peer), uint32(s.tag) // trace.None becomes goalAny
	b = binary.LittleEndian.AppendUint32(b, peer)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.size))
	b = binary.LittleEndian.AppendUint32(b, tag)
	b = append(b, 0, 0)
	for _, v := range []uint32{at[1] - at[0], at[0], at[2] - at[1], at[1]} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// goalTypeOf returns the index of kind in goalTypes.
func goalTypeOf(kind trace.Kind) int {
	for i, k := range goalTypes {
		if i > 0 && k == kind {
			return i
		}
	}
	panic("format: no operation of a schedule: " + kind.String())
}
