package champsim

import (
	"encoding/binary"
	"fmt"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// champsimParser handles each record when the next one is known, because the next
// address gives the length of the instruction.
type champsimParser struct {
	input.Records
	layout  *champsimLayout
	guessed bool
	o       format.Options
	stream  *emit.Stream
	size    uint16 // of references; the format has no sizes
	highest uint64 // largest address of a reference of that size
	held    []byte // the latest record

	branches, taken, notBranches, unknown, null, loads, stores, modifies, full uint64
}

// guess chooses the size of records from the start of the file.
func (p *champsimParser) guess(in *input.Input) *champsimLayout {
	if head, err := in.Head(); err == nil && !champsim64.fits(head) && champsim96.fits(head) {
		p.guessed = true
		return &champsim96
	}
	return &champsim64
}

func (p *champsimParser) block(b []byte) error {
	size := p.layout.size
	if len(p.held) > 0 {
		if err := p.instruction(-1, p.held, binary.LittleEndian.Uint64(b)); err != nil {
			return err
		}
	}
	i := 0
	for ; len(b) > size; i, b = i+1, b[size:] {
		if err := p.instruction(i, b[:size], binary.LittleEndian.Uint64(b[size:])); err != nil {
			return err
		}
	}
	p.held = append(p.held[:0], b...)
	return p.stream.Err
}

// finish handles the last record; its length is unknown.
func (p *champsimParser) finish() error {
	if err := p.instruction(-1, p.held, binary.LittleEndian.Uint64(p.held)); err != nil {
		return err
	}
	return p.stream.Finish()
}

// instruction handles record i of the block. next is the address in the next record.
func (p *champsimParser) instruction(i int, b []byte, next uint64) error {
	branch, taken := b[champsimBranch], b[champsimTaken]
	if branch|taken > 1 {
		return p.badFlag(i, branch, taken)
	}
	ip := binary.LittleEndian.Uint64(b)
	p.branches += uint64(branch)
	p.taken += uint64(branch & taken)
	p.notBranches += uint64(taken &^ branch)
	length := next - ip
	if branch == 1 || length-1 >= champsimMaxLen {
		if ip > p.highest {
			return p.Fail(i, 0, input.SizeProblem(ip, uint64(p.size)), "")
		}
		length = uint64(p.size)
		p.unknown++
	}
	if ip == 0 {
		p.null++
	}
	p.stream.Pc = ip
	p.stream.Execute(1)
	if !p.o.DropIfetch {
		p.stream.Ref(ip, uint16(length), trace.Ifetch)
	}
	return p.data(i, b)
}

// data appends the loads of a record, then its stores.
func (p *champsimParser) data(i int, b []byte) error {
	l := p.layout
	var twice [2][]byte // slots to omit from the loads and from the stores
	switch p.o.Modify {
	case format.ModifyLoad:
		twice[1] = b[l.loads[0]:l.loads[1]]
	case format.ModifyStore:
		twice[0] = b[l.stores[0]:l.stores[1]]
	}
	loads, err := p.slots(i, b, l.loads, trace.Load, twice[0])
	if err != nil {
		return err
	}
	stores, err := p.slots(i, b, l.stores, trace.Store, twice[1])
	if err != nil {
		return err
	}
	p.loads += uint64(loads)
	p.stores += uint64(stores)
	if loads > 0 && stores > 0 {
		p.modifies += l.modifies(b)
	}
	if loads*8 == l.loads[1]-l.loads[0] || stores*8 == l.stores[1]-l.stores[0] {
		p.full++
	}
	return nil
}

// slots appends the accesses in the slots from at[0] to at[1], except those in twice.
// It returns the number of slots in use.
func (p *champsimParser) slots(i int, b []byte, at [2]int, op trace.Op, twice []byte) (n int, err error) {
	for k := at[0]; k < at[1]; k += 8 {
		addr := binary.LittleEndian.Uint64(b[k:])
		if addr == 0 {
			continue
		}
		if addr > p.highest {
			return n, p.Fail(i, k, input.SizeProblem(addr, uint64(p.size)), "")
		}
		n++
		if twice == nil || !hasSlot(twice, addr) {
			p.stream.Ref(addr, p.size, op)
		}
	}
	return n, nil
}

// modifies counts the stores of a record to addresses that it also loads.
func (l *champsimLayout) modifies(b []byte) (n uint64) {
	for k := l.stores[0]; k < l.stores[1]; k += 8 {
		if addr := binary.LittleEndian.Uint64(b[k:]); addr != 0 && hasSlot(b[l.loads[0]:l.loads[1]], addr) {
			n++
		}
	}
	return n
}

func hasSlot(slots []byte, addr uint64) bool {
	for ; len(slots) > 0; slots = slots[8:] {
		if binary.LittleEndian.Uint64(slots) == addr {
			return true
		}
	}
	return false
}

func (p *champsimParser) badFlag(i int, branch, taken byte) error {
	name, at, value := "is_branch", champsimBranch, branch
	if branch <= 1 {
		name, at, value = "branch_taken", champsimTaken, taken
	}
	other := "96 reads cloudsuite's"
	if p.layout == &champsim96 {
		other = "64 reads ChampSim's own"
	}
	return p.Fail(i, at, fmt.Sprintf("%s is %d, not 0 or 1", name, value),
		fmt.Sprintf("this is probably not a ChampSim trace of %d-byte records (--set record=%s)", p.layout.size, other))
}

func (p *champsimParser) counts() []format.Count {
	return []format.Count{{Name: "records", N: uint64(p.Before)}, {Name: "is_branch", N: p.branches}, {Name: "branch_taken", N: p.taken},
		{Name: "source_memory", N: p.loads}, {Name: "destination_memory", N: p.stores}, {Name: "modify", N: p.modifies}}
}

func (p *champsimParser) notes() (all []string) {
	add := func(n uint64, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	if p.guessed {
		all = append(all, "guessed 96-byte records (cloudsuite), because the start of the file does not fit 64; --set record=64 reads the others")
	}
	add(p.loads+p.stores, "champsim has no sizes: every load and store counts as %s; --default-size sets another size", input.Plural(int(p.size), "byte"))
	if !p.o.DropIfetch {
		add(p.unknown, "the length of %d of %s is unknown and counts as %s; the others extend to the next instruction",
			p.unknown, input.Plural(int(p.Before), "instruction"), input.Plural(int(p.size), "byte"))
	}
	add(p.notBranches, "%s with branch_taken but not is_branch (as cvp2champsim writes): not counted as branches", input.Plural(int(p.notBranches), "instruction"))
	add(p.null, "%s at address 0: check whether the file has a hole", input.Plural(int(p.null), "instruction"))
	return all
}

// facts returns properties of the trace that need no message.
func (p *champsimParser) facts() (all []string) {
	if p.full > 0 {
		all = append(all, fmt.Sprintf("%s all slots of loads or of stores in use: tracers drop accesses that do not fit", input.Plural(int(p.full), "record")+" with"))
	}
	return all
}
