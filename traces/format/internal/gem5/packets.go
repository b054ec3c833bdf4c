package gem5

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// gem5Header is the first message.
type gem5Header struct {
	object  string // name of the object that recorded the trace
	version uint64
	perSec  uint64            // ticks per second
	ids     map[uint64]string // names of requestors
}

const (
	maxRequestors    = 1 << 16 // in gem5, whose requestor numbers have 16 bits
	maxRequestorName = 256     // stored bytes of a name
)

// adviceInstructionTrace is for messages that do not occur in packet traces.
const adviceInstructionTrace = "record packets, with a MemTraceProbe or CommMonitor"

// header parses the first message.
func (p *gem5Parser) header(m []byte) error {
	p.ids = map[uint64]string{}
	var seen [5]bool
	for len(m) > 0 {
		f, rest, problem := input.NextField(m)
		if problem != "" {
			return p.Fail("header: "+problem, "")
		}
		m = rest
		if f.Number > 4 {
			continue
		}
		seen[f.Number] = true
		if err := p.headerField(f); err != nil {
			return err
		}
	}
	const advice = "check that this is a gem5 packet trace"
	switch {
	case !seen[1]:
		return p.Fail("header without the required field 1 (obj_id)", advice)
	case !seen[3]:
		return p.Fail("header without the required field 3 (tick_freq)", advice)
	case p.perSec == 0:
		return p.Fail("header: 0 ticks per second", "")
	}
	return nil
}

// headerField handles one of the first four fields.
func (p *gem5Parser) headerField(f input.Field) error {
	want := protowire.VarintType
	if f.Number == 1 || f.Number == 4 {
		want = protowire.BytesType
	}
	switch {
	case f.Number == 4 && f.Kind == protowire.VarintType:
		return p.Fail("this is a gem5 instruction trace, not a packet trace: field 4 of the header is a number", adviceInstructionTrace)
	case f.Kind != want:
		return p.Fail("header: "+input.BadField(f, want), "")
	case f.Number == 1:
		p.object = string(f.Bytes[:min(len(f.Bytes), input.MaxQuote)])
	case f.Number == 2:
		p.version = f.Value
	case f.Number == 3:
		p.perSec = f.Value
	default:
		return p.idString(f.Bytes)
	}
	return nil
}

// idString handles the name of one requestor.
func (p *gem5Parser) idString(m []byte) error {
	var key uint64
	name := ""
	for len(m) > 0 {
		f, rest, problem := input.NextField(m)
		switch {
		case problem != "":
		case f.Number == 1 && f.Kind != protowire.VarintType:
			problem = input.BadField(f, protowire.VarintType)
		case f.Number == 2 && f.Kind != protowire.BytesType:
			problem = input.BadField(f, protowire.BytesType)
		case f.Number == 1:
			key = f.Value
		case f.Number == 2:
			name = string(f.Bytes[:min(len(f.Bytes), maxRequestorName)])
		}
		if problem != "" {
			return p.Fail("header, id_strings: "+problem, "")
		}
		m = rest
	}
	if p.ids[key] = name; len(p.ids) > maxRequestors {
		return p.Fail(fmt.Sprintf("header: more than %d id_strings", maxRequestors), "")
	}
	return nil
}

// gem5Packet is a packet: its fields by number, and a bit for each field that is
// present.
type gem5Packet struct {
	value [8]uint64
	has   uint8
}

// The fields of a packet.
const (
	gem5Tick = 1 + iota
	gem5Cmd
	gem5Addr
	gem5Size
	gem5Flags
	gem5ID
	gem5PC
)

var gem5Fields = [...]string{gem5Tick: "tick", gem5Cmd: "cmd", gem5Addr: "addr", gem5Size: "size", gem5Flags: "flags", gem5ID: "pkt_id", gem5PC: "pc"}

// gem5Required has a bit for each required field of a packet.
const gem5Required = 1<<gem5Tick | 1<<gem5Cmd | 1<<gem5Addr | 1<<gem5Size

// decode reads the fields of a packet.
func (k *gem5Packet) decode(m []byte) (problem string) {
	k.has, k.value[gem5Flags], k.value[gem5ID], k.value[gem5PC] = 0, 0, 0, 0
	for len(m) > 0 {
		if tag := m[0]; tag&7 == uint8(protowire.VarintType) && tag>>3-1 < gem5PC {
			v, n := protowire.ConsumeVarint(m[1:])
			if n < 0 {
				return fmt.Sprintf("field %d is damaged or truncated", tag>>3)
			}
			k.value[tag>>3] = v
			k.has |= 1 << (tag >> 3)
			m = m[1+n:]
			continue
		}
		f, rest, problem := input.NextField(m)
		if problem == "" && f.Number <= gem5PC && f.Kind != protowire.VarintType {
			problem = input.BadField(f, protowire.VarintType)
		}
		if problem != "" {
			return problem
		}
		if f.Number <= gem5PC { // a tag encoded in more bytes than needed
			k.value[f.Number] = f.Value
			k.has |= 1 << f.Number
		}
		m = rest
	}
	return ""
}

// packet parses one packet.
func (p *gem5Parser) packet(m []byte) error {
	k := &p.at
	if problem := k.decode(m); problem != "" {
		return p.Fail("packet: "+problem, "")
	}
	if k.has&gem5Required != gem5Required {
		var missing []string
		for f := gem5Tick; f <= gem5Size; f++ {
			if k.has&(1<<f) == 0 {
				missing = append(missing, gem5Fields[f])
			}
		}
		return p.Fail("packet without the required "+strings.Join(missing, ", "), "check that this is a packet trace; gem5's instruction traces have the same magic")
	}
	command := p.count(k)
	op := gem5Ops[command.kind]
	if op == 0 {
		return nil
	}
	if problem := input.SizeProblem(k.value[gem5Addr], k.value[gem5Size]); problem != "" {
		return p.Fail("packet: "+problem, "")
	}
	switch flags := k.value[gem5Flags]; {
	case command.kind == gem5Load && flags&gem5PrefetchFlag != 0:
		op = trace.Prefetch
	case command.kind == gem5Load && flags&gem5InstFetch != 0:
		op = trace.Ifetch
	}
	proc, problem := p.processor(k.value[gem5ID])
	if problem != "" {
		return p.Fail("packet: "+problem, "--set by=one imports one processor, whatever pkt_id is")
	}
	p.refer(proc, k, command.kind, op)
	return proc.Err
}

// refer appends the reference of a packet.
func (p *gem5Parser) refer(proc *gem5Proc, k *gem5Packet, kind gem5Kind, op trace.Op) {
	p.threads.Advance(proc.Thread, proc.Step(op, proc.Now, &p.now, p.together))
	if op == trace.Ifetch && p.o.DropIfetch {
		return
	}
	proc.Pc = k.value[gem5PC]
	if k.has&(1<<gem5PC) == 0 {
		p.nowhere++
	}
	addr, size := k.value[gem5Addr], uint16(k.value[gem5Size])
	if kind == gem5Swap {
		proc.Modify(addr, size, p.o.Modify, false)
	} else {
		proc.Ref(addr, size, op)
	}
}
