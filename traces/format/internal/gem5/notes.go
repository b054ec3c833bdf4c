package gem5

import (
	"fmt"
	"slices"
	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"strconv"
	"strings"
)

// gem5Tally holds the counts of an import.
type gem5Tally struct {
	packets, bytes uint64
	commandsSeen   [64]uint64 // by number, of known commands
	kinds          [gem5Kinds]uint64
	caches         uint64   // requests made by caches
	unknown        []uint64 // some numbers of unknown commands
	having         [256]uint64
	first, latest  uint64 // ticks
	backwards      uint64
	nowhere        uint64 // references without a PC
}

// count counts a packet and returns its command.
func (p *gem5Parser) count(k *gem5Packet) *gem5Command {
	tick := k.value[gem5Tick]
	switch {
	case p.packets == 0:
		p.first = tick
	case tick < p.latest:
		p.backwards++
	}
	p.latest = tick
	p.packets++
	p.bytes += k.value[gem5Size]
	p.having[k.has]++
	n := k.value[gem5Cmd]
	command := &gem5Command{}
	if n < uint64(len(p.commands)) && p.commands[n].kind != gem5Unknown {
		command = &p.commands[n]
		p.commandsSeen[n]++
	} else if len(p.unknown) < input.MaxUnknownKinds && !slices.Contains(p.unknown, n) {
		p.unknown = append(p.unknown, n)
	}
	p.kinds[command.kind]++
	if command.cache {
		p.caches++
	}
	return command
}

// with returns the number of packets that have a field.
func (t *gem5Tally) with(field int) (n uint64) {
	for has, count := range t.having {
		if has>>field&1 != 0 {
			n += count
		}
	}
	return n
}

func (p *gem5Parser) counts() []format.Count {
	all := []format.Count{{Name: "packets", N: p.packets}, {Name: "bytes", N: p.bytes}, {Name: "id_strings", N: uint64(len(p.ids))}}
	for n, count := range p.commandsSeen {
		if count > 0 {
			all = append(all, format.Count{Name: p.commands[n].name, N: count})
		}
	}
	if n := p.kinds[gem5Unknown]; n > 0 {
		all = append(all, format.Count{Name: "commands of unknown number", N: n})
	}
	for f := gem5Flags; f <= gem5PC; f++ {
		all = append(all, format.Count{Name: "packets with " + gem5Fields[f], N: p.with(f)})
	}
	return all
}

// leftOut describes the packets that are not references.
func (p *gem5Parser) leftOut() string {
	var all []string
	for kind, name := range gem5KindNames {
		n := p.kinds[kind]
		if n == 0 || name == "" {
			continue
		}
		text := input.Plural(int(n), name)
		if gem5Kind(kind) == gem5Unknown {
			var numbers []string
			for _, u := range p.unknown {
				numbers = append(numbers, strconv.FormatUint(u, 10))
			}
			text += " (" + strings.Join(numbers, ", ") + "; see --set version)"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func (p *gem5Parser) notes() (all []string) {
	add := func(n uint64, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	count := func(n uint64, noun string) string { return input.Plural(int(n), noun) }
	if left := p.leftOut(); left != "" {
		all = append(all, "omitted: "+left)
	}
	add(p.caches, "%s of caches (misses and prefetches) stored as loads and prefetches", count(p.caches, "request"))
	all = append(all, p.instructions()...)
	if pcs := p.with(gem5PC); p.o.PC {
		add(p.nowhere, "%s of unknown instructions: pc 0", count(p.nowhere, "reference"))
	} else {
		add(pcs, "the pc of %s is omitted; --pc stores it", count(pcs, "packet"))
	}
	add(p.backwards, "ticks go backwards %s: the packets stay in the order of the file", count(p.backwards, "time"))
	add(p.version, "unknown version %d of the packet trace, read as version 0", p.version)
	return append(all, p.requestors())
}

// instructions describes what counts as an instruction.
func (p *gem5Parser) instructions() []string {
	tally := make([]emit.Fetching, len(p.procs))
	for i, proc := range p.procs {
		tally[i] = proc.Fetching
	}
	return emit.InstructionNotes(tally, int(p.threads.First), emit.Counting{Proc: "processor", Ref: "request", Records: "packets", But: "", Together: p.together})
}

// facts returns properties of the trace that need no message.
func (p *gem5Parser) facts() []string {
	return []string{fmt.Sprintf("recorded by %s from tick %d to %d, at %d ticks per second", input.Quote([]byte(p.object)), p.first, p.latest, p.perSec)}
}
