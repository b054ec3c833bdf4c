// Package gem5 reads and writes gem5's packet traces.
package gem5

import (
	"bytes"
	"slices"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// Gem5 is gem5's packet trace. After the magic "gem5" come protobuf messages with their
// lengths: a header, and a packet for each request that a probe saw. Source: gem5
// v24.0.0.1, src/proto/packet.proto, src/proto/protoio.cc, src/mem/packet.hh.
//
// The references are the requests of processors. Requests of caches for missing lines
// are loads; those of prefetchers are prefetches. Responses, writebacks, coherence
// messages and unknown commands are only counted.
//
// The requestors of the header's id_strings (packet field pkt_id) become processors, in
// the order in which they appear. --set by=cpu merges the requestors of a CPU, because
// its fetches and its data accesses are one stream. Instruction fetches are a
// processor's instructions; without them, every request is one. Each processor counts
// its own instructions, so the order of packets of different processors is lost. --set
// count=all keeps that order, but then the counts are those of all processors together.
type Gem5 struct{}

var (
	_ format.Importer = Gem5{}
	_ format.Exporter = Gem5{}
)

// Info describes the format.
func (Gem5) Info() format.Info {
	return format.Info{
		Name:  "gem5",
		Doc:   "gem5 packet trace of MemTraceProbe or CommMonitor, protobuf",
		Magic: "gem5 at the start",
		Example: `  $ traces import data/sample/tiny.log -o tiny
  $ traces export tiny --to gem5 -o tiny.gem5
  $ traces import tiny.gem5 -o back`,
		Threaded: true,
		PC:       true,
		Settings: []format.Setting{
			{Name: gem5By, Default: "port", Doc: "when read: what a processor is: port (each requestor), cpu (all requestors x.inst, x.data and others of a cpu x) or one (all requestors)"},
			{Name: gem5Version, Default: "24", Doc: "when read: the numbering of commands: 24 (gem5 with LockedRMW commands), 21 (without) or stable (only ReadReq and WriteReq)"},
			emit.CountSetting("packets"),
			{Name: gem5Ticks, Default: "1000", Doc: "when written: ticks of 1 ps for each instruction"},
		},
		Loses: "events, flushes, instructions that are not fetched",
	}
}

// The names of the settings.
const (
	gem5By      = "by"
	gem5Version = "version"
	gem5Ticks   = "ticks"
)

var gem5Magic = []byte("gem5")

// Sniff is Certain of the magic.
func (Gem5) Sniff(head []byte) format.Verdict {
	if bytes.HasPrefix(head, gem5Magic) {
		return format.Verdict{Confidence: format.Certain, Why: "the magic gem5"}
	}
	return sniff.Foreign
}

// Import parses all of in.
func (f Gem5) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	p := gem5Parser{o: o, gem5Procs: gem5Procs{by: o.Setting(f, gem5By), threads: emit.NewThreads(sink, o, o.PC), ofPort: map[uint64]*gem5Proc{}}}
	if !slices.Contains(gem5Bys, p.by) {
		return format.Result{}, format.BadSetting("%s=%s: choose port, cpu or one", gem5By, p.by)
	}
	var err error
	if p.together, err = emit.CountTogether(f, o); err != nil {
		return format.Result{}, err
	}
	version := o.Setting(f, gem5Version)
	if p.commands = gem5Versions[version]; p.commands == nil {
		return format.Result{}, format.BadSetting("%s=%s: choose 24, 21 or stable", gem5Version, version)
	}
	head, err := in.Head()
	if err != nil {
		return format.Result{}, err
	}
	p.File = in.Name
	switch {
	case len(head) == 0:
		return format.Result{}, p.Fail(in.Emptiness()+": no header and no packets", "")
	case !bytes.HasPrefix(head, gem5Magic):
		return format.Result{}, p.Fail("the magic is not gem5: the file begins with "+input.Quote(head[:min(len(head), len(gem5Magic))]), "")
	}
	if err := p.Messages(in, len(gem5Magic), p.message); err != nil {
		return format.Result{}, err
	}
	return p.finish()
}

var gem5Bys = []string{"port", "cpu", "one"}

// gem5Parser is the state of an import.
type gem5Parser struct {
	input.Delimited
	gem5Header
	gem5Procs
	gem5Tally
	o        format.Options
	commands []gem5Command
	at       gem5Packet
	together bool   // instructions are counted over all processors together
	now      uint64 // that count
}

func (p *gem5Parser) message(m []byte) error {
	if p.Number > 0 {
		return p.packet(m)
	}
	if err := p.header(m); err != nil {
		return err
	}
	p.name(p.ids)
	return nil
}

func (p *gem5Parser) finish() (format.Result, error) {
	if p.Number == 0 {
		return format.Result{}, p.Fail("end of file after the magic: no header and no packets", "")
	}
	if p.packets == 0 {
		return format.Result{}, p.Fail("end of file after the header: no packets", "the simulation may have ended before gem5 closed the trace")
	}
	if err := p.threads.Finish(); err != nil {
		return format.Result{}, err
	}
	r := format.Result{Procs: len(p.threads.Order), Lines: p.packets, Counts: p.counts(), Notes: p.notes(), Facts: p.facts()}
	if r.Procs == 0 {
		return format.Result{}, p.Fail("end of file without requests of a processor: "+p.leftOut(), "record between processor and cache, or choose another --set version")
	}
	if r.Procs > 1 && p.together {
		r.Rule = "order of the packets, as instructions executed"
	}
	return r, nil
}
