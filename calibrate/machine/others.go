package machine

import "fmt"

// kindText is nodes of another kind.
type kindText struct {
	Name       *string        `toml:"name"`
	Count      *int64         `toml:"count"`
	Processors *int64         `toml:"processors"`
	Processor  *processorText `toml:"processor"`
	Cache      []cacheText    `toml:"cache"`
	Memory     *memoryText    `toml:"memory"`
	Disk       *diskText      `toml:"disk"`
}

// others reads the nodes of other kinds.
func (r *reader) others(doc *document) {
	if r.err != nil {
		return
	}
	for i := range doc.Node {
		r.kind(fmt.Sprintf("node[%d].", i), doc, &doc.Node[i])
	}
	if r.err != nil {
		return
	}
	if err := r.m.checkOthers(); err != nil {
		r.fail("node", "%v", err)
	}
}

// kind reads one kind of them; what it does not say is read again as the others have it, for its own clock.
func (r *reader) kind(at string, doc *document, t *kindText) {
	o := &reader{doc: r.doc, m: &Machine{}, at: at}
	o.m.Name = o.name(t.Name)
	count, processors := 1, r.m.System.Processors
	if t.Count != nil {
		count = o.count("count", t.Count, maxProcessors)
	}
	if t.Processors != nil {
		processors = o.count("processors", t.Processors, maxProcessors)
	}
	o.processor(orElse(t.Processor, doc.Processor))
	if len(t.Cache) == 0 {
		t.Cache = doc.Cache
	}
	o.caches(t.Cache)
	if t.Memory != nil && (t.Memory.Placement != nil || t.Memory.Page.given) {
		o.fail("memory", "pages are placed as [memory] says, for all nodes")
	}
	if o.err == nil {
		o.memory(orElse(t.Memory, doc.Memory))
	}
	if d := orElse(t.Disk, doc.Disk); d != nil {
		o.m.Disk = &Disk{o.latency("disk.latency", d.Latency)}
	}
	o.m.System = r.m.System
	o.m.System.Processors = processors
	for _, a := range o.m.Assumed {
		r.m.Assumed = append(r.m.Assumed, "node "+o.m.Name+": "+a)
	}
	if r.err == nil {
		r.err = o.err
	}
	for range count {
		if len(r.m.Others) <= r.m.System.Nodes { // one too many is refused
			r.m.Others = append(r.m.Others, o.m)
		}
	}
}

func orElse[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}
