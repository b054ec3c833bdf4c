package describe

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"spoor/traces/internal/walk"
	"spoor/traces/trace"
)

// amounts are the counts of one processor, or of all.
type amounts struct {
	Refs        counts      `json:"refs"`
	Lines64     footprint   `json:"lines64"`
	Events      counts      `json:"events"`
	Bytes       uint64      `json:"bytes"`
	Payload     total       `json:"payload"`
	Instr       uint64      `json:"instructions"`
	Pages4096   footprint   `json:"pages4096"`
	Work        total       `json:"work"`
	Messages    messages    `json:"messages"`
	Collectives collectives `json:"collectives"`
	Requests    requests    `json:"requests"`

	ops, kinds [256]uint64
	groups     map[int32]bool
}

// total is a sum of numbers that are not negative. It saturates at the largest number.
type total int64

func (t *total) add(n int64) {
	if *t += total(n); *t < 0 {
		*t = math.MaxInt64
	}
}

func (t total) String() string {
	if t == math.MaxInt64 {
		return "at least 9223372036854775807"
	}
	return strconv.FormatInt(int64(t), 10)
}

// footprint counts the lines and pages that loads and stores touch, and those of fetches.
type footprint struct {
	Data   uint64 `json:"data"`
	Ifetch uint64 `json:"ifetch"`
}

type collectives struct {
	Calls  uint64 `json:"calls"`
	Bytes  total  `json:"bytes"`
	Groups int    `json:"groups"`
}

type requests struct {
	Opened uint64 `json:"opened"`
	Waited uint64 `json:"waited"`
	Tested uint64 `json:"tested"`
}

func (t *amounts) begin() { t.groups = map[int32]bool{} }

func (t *amounts) gatherRefs(src *walk.Trace, p trace.Proc, data, ifetch *lineSet) error {
	for b, err := range src.Refs(p) {
		if err != nil {
			return err
		}
		for j, op := range b.Op {
			t.ops[op]++
			switch {
			case op.Data():
				t.Bytes += uint64(b.Size[j])
				data.touch(b.Addr[j], b.Size[j])
			case op == trace.Ifetch:
				ifetch.touch(b.Addr[j], b.Size[j])
			}
		}
	}
	return nil
}

func (t *amounts) gatherEvents(src *walk.Trace, p trace.Proc) error {
	for b, err := range src.Events(p) {
		if err != nil {
			return err
		}
		for j := range b.Rows {
			t.event(&b.Rows[j])
		}
	}
	return nil
}

func (t *amounts) event(e *trace.Event) {
	t.kinds[e.Kind]++
	t.Payload.add(e.Bytes)
	group := e.Collective()
	if group {
		t.Collectives.Calls++
		t.Collectives.Bytes.add(e.Bytes)
		t.groups[e.Group] = true
	}
	switch e.Kind {
	case trace.Compute:
		t.Work.add(e.Work)
	case trace.Send, trace.Isend:
		t.Messages.add(e.Bytes)
	case trace.Wait:
		t.Requests.Waited++
	case trace.Test:
		t.Requests.Tested++
	}
	if e.Request >= 0 && (group || e.Kind == trace.Isend || e.Kind == trace.Irecv) {
		t.Requests.Opened++
	}
}

// add adds the counts of another processor, except its footprint, which may overlap.
func (t *amounts) add(o *amounts) {
	for k := range t.ops {
		t.ops[k] += o.ops[k]
		t.kinds[k] += o.kinds[k]
	}
	t.Bytes += o.Bytes
	t.Payload.add(int64(o.Payload))
	t.Instr += o.Instr
	t.Work.add(int64(o.Work))
	t.Messages.merge(&o.Messages)
	t.Collectives.Calls += o.Collectives.Calls
	t.Collectives.Bytes.add(int64(o.Collectives.Bytes))
	t.Requests.Opened += o.Requests.Opened
	t.Requests.Waited += o.Requests.Waited
	t.Requests.Tested += o.Requests.Tested
	for g := range o.groups {
		t.groups[g] = true
	}
	o.groups = nil
}

func (t *amounts) footprint(data, ifetch *lineSet) {
	t.Lines64 = footprint{data.count(), ifetch.count()}
	t.Pages4096 = footprint{data.pages(), ifetch.pages()}
}

// finish names the counts. It omits kinds of events that do not occur.
func (t *amounts) finish() {
	for _, op := range trace.Ops {
		t.Refs.add(op.String(), t.ops[op])
	}
	for _, k := range trace.Kinds {
		if t.kinds[k] > 0 {
			t.Events.add(k.String(), t.kinds[k])
		}
	}
	t.Collectives.Groups = len(t.groups)
	t.Messages.finish()
}

// counts are numbers by name, in a fixed order.
type counts struct {
	names  []string
	values []uint64
}

func (c *counts) add(name string, n uint64) {
	c.names, c.values = append(c.names, name), append(c.values, n)
}

// MarshalJSON returns an object in the order of c.
func (c counts) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range c.names {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%d", name, c.values[i])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// sum returns the sum of all counts.
func (c *counts) sum() (n uint64) {
	for _, v := range c.values {
		n += v
	}
	return n
}

// messages are counts of sends. Sizes are counted between powers of two, so that the median
// is a range. It is exact if all sizes are equal.
type messages struct {
	Count    uint64   `json:"count"`
	Bytes    total    `json:"bytes"`
	Smallest int64    `json:"smallest"`
	Median   sizeSpan `json:"median"`
	Largest  int64    `json:"largest"`
	Sizes    []sizes  `json:"sizes,omitempty"` // of all processors only

	ofBits [65]uint64 // by bits of the size
}

// sizeSpan is a range of sizes, both ends included.
type sizeSpan struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

type sizes struct {
	sizeSpan
	Count uint64 `json:"count"`
}

func (m *messages) add(size int64) {
	if m.Count == 0 || size < m.Smallest {
		m.Smallest = size
	}
	m.Largest = max(m.Largest, size)
	m.Count++
	m.Bytes.add(size)
	m.ofBits[bits.Len64(uint64(size))]++
}

func (m *messages) merge(o *messages) {
	if o.Count > 0 && (m.Count == 0 || o.Smallest < m.Smallest) {
		m.Smallest = o.Smallest
	}
	m.Largest = max(m.Largest, o.Largest)
	m.Count += o.Count
	m.Bytes.add(int64(o.Bytes))
	for i, n := range o.ofBits {
		m.ofBits[i] += n
	}
}

// finish sets Sizes and Median. Of an even number of sizes it takes the lower median.
func (m *messages) finish() {
	before := uint64(0)
	for i, n := range m.ofBits {
		if n == 0 {
			continue
		}
		these := sizeSpan{0, 0}
		if i > 0 {
			these = sizeSpan{1 << (i - 1), 1<<i - 1}
		}
		these = sizeSpan{max(these.From, m.Smallest), min(these.To, m.Largest)}
		m.Sizes = append(m.Sizes, sizes{these, n})
		if middle := (m.Count + 1) / 2; before < middle && middle <= before+n {
			m.Median = these
		}
		before += n
	}
}

// String returns "64", or "512 .. 700".
func (s sizeSpan) String() string {
	if s.From == s.To {
		return fmt.Sprint(s.From)
	}
	return fmt.Sprintf("%d .. %d", s.From, s.To)
}
