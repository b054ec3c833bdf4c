// Package champsim reads and writes ChampSim's traces of instructions.
package champsim

import (
	"encoding/binary"
	"fmt"
	"math"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// ChampSim is the input of the ChampSim simulator. It has one record of 64 bytes (96 in
// the cloudsuite traces) for each instruction, without gaps. A record holds:
//
//   - the address of the instruction, and flags of branches;
//   - registers, which are ignored, like branches;
//   - the addresses that the instruction stores to and loads from; 0 is an unused slot.
//
// A file is one thread. The format has no sizes. The length of an instruction is the
// distance to the next one if that is a possible length. All other sizes are 1 byte or
// Options.DefaultSize.
//
// Source: ChampSim, inc/trace_instruction.h (input_instr, cloudsuite_instr).
type ChampSim struct{}

var (
	_ format.Importer = ChampSim{}
	_ format.Exporter = ChampSim{}
)

// Info describes the format.
func (ChampSim) Info() format.Info {
	return format.Info{
		Name:  "champsim",
		Doc:   "ChampSim: 64-byte records of instructions (96 for cloudsuite)",
		Magic: "none; guessed from flags of 0 or 1 and plausible addresses in all records",
		Example: `  $ traces import data/sample/tiny.log -o tiny
  $ traces export tiny --to champsim -o tiny.champsim
  $ traces import tiny.champsim --from champsim -o back`,
		PC:       true,
		Settings: []format.Setting{{Name: "record", Default: "auto", Doc: "bytes of a record: 64, 96 (cloudsuite) or auto (96 if the start of the file fits only 96, else 64)"}},
		Loses:    "events, sizes, prefetches, flushes, address 0, all processors except one, instructions without references, a load after a store of the same instruction",
	}
}

// champsimLayout has the offsets of the fields of a record. All records begin with the
// address of the instruction (8 bytes), is_branch (1) and branch_taken (1).
type champsimLayout struct {
	size    int
	targets int    // offset of the registers that the instruction writes
	sources int    // offset of the registers that it reads
	stores  [2]int // begin and end of the store addresses
	loads   [2]int // begin and end of the load addresses
}

var (
	champsim64 = champsimLayout{size: 64, targets: 10, sources: 12, stores: [2]int{16, 32}, loads: [2]int{32, 64}}
	champsim96 = champsimLayout{size: 96, targets: 10, sources: 14, stores: [2]int{24, 56}, loads: [2]int{56, 88}}
)

const (
	champsimBranch = 8  // offset of is_branch
	champsimTaken  = 9  // offset of branch_taken
	champsimMaxLen = 15 // bytes of the longest instruction (x86)
)

// champsimRecord returns the layout that the setting selects, nil for auto.
func champsimRecord(value string) (*champsimLayout, error) {
	switch value {
	case "64":
		return &champsim64, nil
	case "96":
		return &champsim96, nil
	case "auto":
		return nil, nil
	}
	return nil, format.BadSetting("record=%s: choose 64, 96 or auto", value)
}

// Sniff is Likely if all records at the start can be instructions.
func (ChampSim) Sniff(head []byte) format.Verdict {
	for _, l := range []*champsimLayout{&champsim64, &champsim96} {
		if l.fits(head) {
			return format.Verdict{Confidence: format.Likely, Why: fmt.Sprintf("records of %d bytes whose branch flags are 0 or 1 and whose addresses are plausible", l.size)}
		}
	}
	return sniff.Foreign
}

// fits reports whether the records at the start of a file can be instructions. There
// must be at least two. Flags are 0 or 1, and addresses are canonical (48 bits). No
// instruction address is 0. One in four instructions is close to its predecessor.
func (l *champsimLayout) fits(head []byte) bool {
	var n, near int
	var last uint64
	for b := head; len(b) >= l.size; b = b[l.size:] {
		ip := binary.LittleEndian.Uint64(b)
		if ip == 0 || !canonical(ip) || b[champsimBranch] > 1 || b[champsimTaken] > 1 {
			return false
		}
		for at := l.stores[0]; at < l.loads[1]; at += 8 {
			if !canonical(binary.LittleEndian.Uint64(b[at:])) {
				return false
			}
		}
		if ip-last+64 <= 128 {
			near++
		}
		last = ip
		n++
	}
	return n >= 2 && near*4 >= n-1
}

// canonical reports whether bits 47 to 63 of an address are the same.
func canonical(addr uint64) bool { return addr>>47 == 0 || addr>>47 == 1<<17-1 }

// Import parses all of in.
func (f ChampSim) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	layout, err := champsimRecord(o.Setting(f, "record"))
	if err != nil {
		return format.Result{}, err
	}
	p := champsimParser{o: o, stream: emit.NewStream(sink, o.FirstProc), size: max(1, o.DefaultSize)}
	if layout == nil {
		layout = p.guess(in)
	}
	p.layout, p.Records.Size = layout, layout.size
	p.stream.WithPC = o.PC
	p.highest = math.MaxUint64 - uint64(p.size) + 1
	if err := p.Blocks(in, p.block); err != nil {
		return format.Result{}, err
	}
	if err := p.finish(); err != nil {
		return format.Result{}, err
	}
	return format.Result{Procs: 1, Lines: uint64(p.Before), Notes: p.notes(), Facts: p.facts(), Counts: p.counts()}, nil
}
