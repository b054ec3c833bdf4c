package otf2

import (
	"bytes"
	"fmt"
	"math"
	"spoor/traces/internal/input"
)

// otf2Definitions holds the definitions that concern messages. They all precede the
// first event, or are absent.
type otf2Definitions struct {
	regions   map[uint64]*otf2Region
	processOf map[uint64]uint64   // location group of each location
	processes []uint64            // location groups that are processes, in order
	mainOf    map[uint64]uint64   // first location of each process
	members   []uint64            // MPI locations by world rank
	groups    map[uint64][]uint64 // locations of each MPI group
	selves    map[uint64]bool     // groups of one rank each
	comms     map[uint64]*otf2Comm
	made      int32            // communicators besides the world
	rankOf    map[uint64]int32 // by location; complete when events begin
	rankOfPr  map[uint64]int32 // by process
	complete  bool             // the text has definitions, and they are in order
	settled   bool             // an event has been read
}

// otf2Region is a function, or another part of the program.
type otf2Region struct {
	name     []byte
	mpi      bool
	test     bool // completes requests without waiting
	exchange bool // sends and receives at the same time
}

// otf2Comm is a communicator.
type otf2Comm struct {
	group   int32 // number in the trace, -1 for the world
	size    int   // ranks, or 0 if unknown
	first   int32 // world rank of its rank 0
	self    bool  // of one rank
	between bool  // connects two groups of ranks
}

func (d *otf2Definitions) init() {
	d.regions = map[uint64]*otf2Region{}
	d.processOf, d.mainOf = map[uint64]uint64{}, map[uint64]uint64{}
	d.groups, d.selves = map[uint64][]uint64{}, map[uint64]bool{}
	d.comms = map[uint64]*otf2Comm{}
	d.rankOf, d.rankOfPr = map[uint64]int32{}, map[uint64]int32{}
}

// define handles a line of the definitions.
func (p *otf2Parser) define(line []byte) error {
	name, rest := otf2Field(line)
	define := otf2Defines[string(name)]
	if define == nil {
		return nil // the header row, strings, and definitions that no message needs
	}
	p.complete = true
	if string(name) == "CLOCK_PROPERTIES" {
		return p.defineClock(0, rest, line)
	}
	number, attrs := otf2Field(rest)
	id, problem := input.ParseDecimal(number)
	if problem != "" {
		p.ragged = true
		return p.fail(line, "the number of the definition is "+problem, "print the archive again")
	}
	return define(p, id, attrs, line)
}

var otf2Defines map[string]func(p *otf2Parser, id uint64, attrs, line []byte) error

func init() {
	otf2Defines = map[string]func(p *otf2Parser, id uint64, attrs, line []byte) error{
		"CLOCK_PROPERTIES": (*otf2Parser).defineClock,
		"REGION":           (*otf2Parser).defineRegion,
		"LOCATION_GROUP":   (*otf2Parser).defineProcess,
		"LOCATION":         (*otf2Parser).defineLocation,
		"GROUP":            (*otf2Parser).defineGroup,
		"COMM":             (*otf2Parser).defineComm,
		"INTER_COMM":       (*otf2Parser).defineInterComm,
	}
}

func (p *otf2Parser) defineClock(_ uint64, attrs, line []byte) error {
	a := otf2Attrs{rest: attrs}
	value, _, _ := bytes.Cut(a.last("Ticks per Seconds: "), []byte(","))
	ticks, problem := input.ParseDecimal(value)
	if problem != "" || ticks == 0 {
		p.ragged = true
		return p.fail(line, "no number of ticks per second", "print the archive again")
	}
	p.ticks = ticks
	return nil
}

func (p *otf2Parser) defineRegion(id uint64, attrs, line []byte) error {
	a := otf2Attrs{rest: attrs}
	a.last("Flags: ")
	paradigm := a.last("Paradigm: ")
	a.last("Role: ")
	a.last("Descr.: ")
	name := a.last("Name: ")
	if i := bytes.LastIndex(name, []byte(" (Aka. ")); i >= 0 {
		name = name[:i]
	}
	if err := p.incomplete(&a, "REGION", line); err != nil {
		return err
	}
	p.regions[id] = newOTF2Region(otf2Name(name), string(paradigm) == "MPI")
	return nil
}

// newOTF2Region derives the properties of a region from its name.
func newOTF2Region(name []byte, mpi bool) *otf2Region {
	lower := bytes.ToLower(name)
	return &otf2Region{name: bytes.Clone(name), mpi: mpi, test: bytes.HasPrefix(lower, []byte("mpi_test")),
		exchange: bytes.HasPrefix(lower, []byte("mpi_sendrecv"))}
}

func (p *otf2Parser) defineProcess(id uint64, attrs, line []byte) error {
	if bytes.Contains(attrs, []byte(", Type: PROCESS")) {
		p.processes = append(p.processes, id)
	}
	return nil
}

func (p *otf2Parser) defineLocation(id uint64, attrs, line []byte) error {
	a := otf2Attrs{rest: attrs}
	process, ok := a.reference("Group: ")
	if err := p.incomplete(&a, "LOCATION", line); err != nil || !ok {
		return err
	}
	p.processOf[id] = process
	if _, ok := p.mainOf[process]; !ok {
		p.mainOf[process] = id
	}
	return nil
}

func (p *otf2Parser) defineGroup(id uint64, attrs, line []byte) error {
	a := otf2Attrs{rest: attrs}
	count, list, _ := bytes.Cut(a.last("Flags: "), []byte(" Member")) // "1 Member: " or "2 Members: "
	paradigm := a.last("Paradigm: ")
	kind := string(a.last("Type: "))
	if err := p.incomplete(&a, "GROUP", line); err != nil || string(paradigm) != "MPI" {
		return err
	}
	p.selves[id] = kind == "COMM_SELF"
	if kind != "COMM_LOCATIONS" && kind != "COMM_GROUP" {
		return nil
	}
	if i := bytes.LastIndexByte(count, ' '); i >= 0 { // after the flags
		count = count[i+1:]
	}
	n, problem := input.ParseDecimal(count)
	members := otf2Members(list)
	if problem != "" || n != uint64(len(members)) {
		p.ragged = true
		return p.fail(line, fmt.Sprintf("the group has %s members but lists %d", input.Quote(count), len(members)), "print the archive again")
	}
	p.groups[id] = members
	if kind == "COMM_LOCATIONS" {
		p.members = members
	}
	return nil
}

// otf2Members returns the numbers in < > of a list of names: `"a" <0>, "b" <1>` or `0
// ("a" <0>), 1 ("b" <1>)`.
func otf2Members(list []byte) (members []uint64) {
	mark := []byte(`" <`)
	for {
		i := bytes.Index(list, mark)
		if i < 0 {
			return members
		}
		list = list[i+len(mark):]
		end := bytes.IndexByte(list, '>')
		if end < 0 {
			return members
		}
		id, problem := input.ParseDecimal(list[:end])
		after := bytes.TrimPrefix(list[end+1:], []byte(")"))
		if problem == "" && (len(after) == 0 || after[0] == ',') { // otherwise it is part of a name
			members, list = append(members, id), after
		}
	}
}

func (p *otf2Parser) defineComm(id uint64, attrs, line []byte) error {
	a := otf2Attrs{rest: attrs}
	_, nested := a.reference("Parent: ")
	group, ok := a.reference("Group: ")
	if err := p.incomplete(&a, "COMM", line); err != nil || !ok {
		return err
	}
	members := p.groups[group]
	comm := &otf2Comm{group: p.made, size: len(members), self: p.selves[group]}
	if comm.self {
		comm.size = 1
	}
	if len(members) > 0 {
		comm.first = p.worldRank(members[0])
	}
	if !nested && !comm.self && len(members) == len(p.members) && !p.hasWorld() {
		comm.group = -1
	} else {
		p.made++
	}
	p.comms[id] = comm
	return nil
}

func (p *otf2Parser) defineInterComm(id uint64, attrs, line []byte) error {
	p.comms[id] = &otf2Comm{group: p.made, between: true}
	p.made++
	return nil
}

func (d *otf2Definitions) hasWorld() bool {
	for _, c := range d.comms {
		if c.group < 0 {
			return true
		}
	}
	return false
}

// number gives every location the rank of its process, when the definitions are
// complete. Without MPI, processes are numbered in their order.
func (d *otf2Definitions) number() {
	d.settled = true
	for rank, location := range d.members {
		d.rankOf[location] = int32(rank)
		if process, ok := d.processOf[location]; ok {
			d.rankOfPr[process] = int32(rank)
			d.mainOf[process] = location
		}
	}
	if len(d.members) > 0 {
		return
	}
	for i, process := range d.processes {
		d.rankOfPr[process] = int32(i)
	}
}

// worldRank returns the rank of a location in MPI_COMM_WORLD, or -1.
func (d *otf2Definitions) worldRank(location uint64) int32 {
	if !d.settled {
		for rank, l := range d.members {
			if l == location {
				return int32(rank)
			}
		}
		return -1
	}
	if rank, ok := d.rankOf[location]; ok {
		return rank
	}
	process, ok := d.processOf[location]
	if !ok {
		return -1
	}
	if rank, ok := d.rankOfPr[process]; ok {
		return rank
	}
	return -1
}

// otf2MaxRank limits the locations that can be ranks.
const otf2MaxRank = math.MaxUint16
