package gem5

import (
	"fmt"
	"maps"
	"slices"
	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/input"
	"strconv"
	"strings"
)

// gem5Procs maps requestors to processors.
type gem5Procs struct {
	by      string // --set by
	threads emit.Threads
	owners  map[uint64]gem5Owner // of requestors that have a name
	cpus    bool                 // some requestors are x.inst or x.data
	ofPort  map[uint64]*gem5Proc
	procs   []*gem5Proc
	last    *gem5Proc // the processor of port
	port    uint64
}

// gem5Proc is a processor.
type gem5Proc struct {
	*emit.Thread
	emit.Fetching
	name string
}

// gem5Owner is the owner of a requestor: a number shared by all requestors of a
// processor, and the processor's name.
type gem5Owner struct {
	key  uint64
	name string
}

// name sets the owners of the requestors that the header names.
func (p *gem5Procs) name(ids map[uint64]string) {
	p.owners = map[uint64]gem5Owner{}
	cpus := map[string]bool{}
	for id, name := range ids {
		p.owners[id] = gem5Owner{id, name}
		for _, suffix := range []string{".inst", ".data"} {
			if cpu, ok := strings.CutSuffix(name, suffix); ok {
				cpus[cpu] = true
			}
		}
	}
	if p.cpus = len(cpus) > 0; p.by != "cpu" {
		return
	}
	first := map[string]uint64{}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		name := ids[id]
		for end := strings.LastIndexByte(name, '.'); end > 0; end = strings.LastIndexByte(name[:end], '.') {
			cpu := name[:end]
			if !cpus[cpu] {
				continue
			}
			if _, ok := first[cpu]; !ok {
				first[cpu] = id
			}
			p.owners[id] = gem5Owner{first[cpu], cpu}
			break
		}
	}
}

// processor finds the processor of the requestor with that number.
func (p *gem5Procs) processor(id uint64) (proc *gem5Proc, problem string) {
	if p.by == "one" {
		id = 0
	}
	if p.last != nil && p.port == id {
		return p.last, ""
	}
	if proc = p.ofPort[id]; proc == nil {
		if proc, problem = p.newPort(id); problem != "" {
			return nil, problem
		}
	}
	p.last, p.port = proc, id
	return proc, ""
}

func (p *gem5Procs) newPort(id uint64) (proc *gem5Proc, problem string) {
	if id >= maxRequestors {
		return nil, fmt.Sprintf("pkt_id %d is not a requestor: their numbers have 16 bits", id)
	}
	owner, ok := p.owners[id]
	switch {
	case p.by == "one":
		owner = gem5Owner{0, "all requestors"}
	case !ok:
		owner = gem5Owner{id, "requestor " + strconv.FormatUint(id, 10)}
	}
	t, problem := p.threads.Find(owner.key)
	if problem != "" {
		return nil, problem
	}
	at := int(t.Refs.Proc - p.threads.First)
	if at == len(p.procs) {
		p.procs = append(p.procs, &gem5Proc{Thread: t, name: owner.name})
	}
	p.ofPort[id] = p.procs[at]
	return p.procs[at], ""
}

// requestors lists the requestor of each processor.
func (p *gem5Procs) requestors() string {
	var names []string
	for i, proc := range p.procs {
		name := input.Quote([]byte(proc.name))
		if name == `"`+proc.name+`"` {
			name = proc.name
		}
		names = append(names, fmt.Sprintf("%d is %s", int(p.threads.First)+i, name))
	}
	note := "processors are numbered by their first requests: " + input.Listed(names)
	switch {
	case p.by == "port" && p.cpus:
		note += "; --set by=cpu merges x.inst, x.data and others of x into one"
	case p.by == "cpu" && p.cpus:
		note += ", each with the requestors .inst, .data and others of its name; --set by=port makes every requestor a processor"
	}
	return note
}
