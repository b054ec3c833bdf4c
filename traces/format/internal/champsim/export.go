package champsim

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"spoor/traces/format/internal/export"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

const (
	champsimIP      = 26       // ChampSim's register number of the instruction pointer
	champsimUnknown = 0x400000 // made-up address of instructions without a known address
)

// Export writes the references of one processor. Each instruction fetch begins a
// record, which also holds the loads and stores that follow it. If the fetch is not
// recorded, the instruction has the address in the PC column, or champsimUnknown. An
// instruction is written as a taken jump if the next record is not the next address.
// References that do not fit go into another record of the same address.
func (f ChampSim) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	layout, err := champsimRecord(o.Setting(f, "record"))
	if err != nil {
		return nil, err
	}
	if layout == nil {
		layout = &champsim64
	}
	proc, err := export.OneProc(src, o, f.Info().Name)
	if err != nil {
		return nil, err
	}
	x := champsimWriter{layout: layout, out: bufio.NewWriterSize(w, 1<<16), record: make([]byte, layout.size)}
	for b, err := range src.Refs(proc) {
		if err != nil {
			return nil, err
		}
		if err := x.refs(b); err != nil {
			return nil, err
		}
	}
	if err := x.lost.CountEvents(src, []trace.Proc{proc}); err != nil {
		return nil, err
	}
	if err := x.put(0); err != nil {
		return nil, err
	}
	return x.notes(), x.out.Flush()
}

// champsimWriter delays each record until the next one shows whether it jumps.
type champsimWriter struct {
	layout *champsimLayout
	out    *bufio.Writer
	lost   export.Losses

	record        []byte
	open          bool   // a record is open
	ip            uint64 // address of its instruction
	made          bool   // ip is made up
	length        uint64 // of its instruction, 0 if unknown
	loads, stores int    // slots in use

	unfetched, unknown, null, more, late, parts uint64
}

// refs writes a batch.
func (x *champsimWriter) refs(b *trace.Refs) error {
	for i, op := range b.Op {
		instr, addr := b.Instr[i], b.Addr[i]
		x.lost.Gaps = x.lost.Gaps || instr > 1
		var err error
		switch {
		case op == trace.Ifetch:
			if instr == 0 {
				x.parts++
			}
			err = x.begin(addr, uint64(b.Size[i]), false)
		case !op.Data():
			x.lost.Drop(op)
			continue
		case addr == 0:
			x.null++
			continue
		case instr > 0 || !x.open:
			err = x.beginUnfetched(b, i)
		}
		if err == nil && op != trace.Ifetch {
			err = x.data(addr, op)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// beginUnfetched begins the record of an instruction without a recorded fetch.
func (x *champsimWriter) beginUnfetched(b *trace.Refs, i int) error {
	x.unfetched++
	if b.PC != nil && b.PC[i] != 0 {
		return x.begin(b.PC[i], 0, false)
	}
	x.unknown++
	return x.begin(champsimUnknown, 0, true)
}

// begin writes the open record and begins the next one.
func (x *champsimWriter) begin(ip, length uint64, made bool) error {
	next := ip
	if made {
		next = 0
	}
	err := x.put(next)
	clear(x.record)
	binary.LittleEndian.PutUint64(x.record, ip)
	x.open, x.ip, x.length, x.made, x.loads, x.stores = true, ip, length, made, 0, 0
	return err
}

// put writes the open record. next is the address of the next record, 0 if unknown.
func (x *champsimWriter) put(next uint64) error {
	if !x.open {
		return nil
	}
	step := next - x.ip
	follows := step == x.length
	if x.length == 0 {
		follows = step <= champsimMaxLen
	}
	if next != 0 && !x.made && step != 0 && !follows {
		x.record[champsimBranch], x.record[champsimTaken] = 1, 1
		x.record[x.layout.targets], x.record[x.layout.sources] = champsimIP, champsimIP
	}
	_, err := x.out.Write(x.record)
	return err
}

// data puts a load or a store into a slot of the record.
func (x *champsimWriter) data(addr uint64, op trace.Op) error {
	at, used := x.layout.loads, &x.loads
	if op == trace.Store {
		at, used = x.layout.stores, &x.stores
	}
	if at[0]+*used*8 == at[1] {
		x.more++
		if err := x.begin(x.ip, x.length, x.made); err != nil {
			return err
		}
	}
	if op == trace.Load && x.stores > 0 {
		x.late++
	}
	binary.LittleEndian.PutUint64(x.record[at[0]+*used*8:], addr)
	*used++
	return nil
}

func (x *champsimWriter) notes() []string {
	all := append(x.lost.Notes("champsim"), "champsim has no sizes")
	add := func(n uint64, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(x.unfetched, "%s without a fetch in the trace: champsim fetches each", input.Plural(int(x.unfetched), "instruction"))
	add(x.unknown, "%d of them have no known address and get %#x", x.unknown, champsimUnknown)
	add(x.null, "champsim has no address 0: %d references omitted", x.null)
	add(x.more, "%s added for instructions with more loads or stores than a record has slots", input.Plural(int(x.more), "record"))
	add(x.late, "%s moved before a store of the same instruction", input.Plural(int(x.late), "load"))
	add(x.parts, "%d instruction fetches that belong to the previous instruction became instructions", x.parts)
	return all
}
