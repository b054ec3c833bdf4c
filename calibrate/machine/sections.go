package machine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"spoor/calibrate/internal/strict"
	"spoor/traces/unit"
)

// Section is a section of a machine description.
type Section string

// Sections that a description can lack. Need says whether that is an error.
const (
	ProcessorSection Section = "[processor]"
	MemorySection    Section = "[memory]"
	cacheSection     Section = "[[cache]]"
	SystemSection    Section = "[system]"
	NetworkSection   Section = "[network]"
)

// references are the sections that references need. Need adds [[cache]] only if the target has caches.
var references = []Section{ProcessorSection, MemorySection, cacheSection, SystemSection}

// uses says what each section is for.
var uses = map[Section]string{
	ProcessorSection: "instructions", MemorySection: "references", cacheSection: "references", SystemSection: "the target and its size",
	NetworkSection: "messages between nodes",
}

// Use says what a section is for.
func (s Section) Use() string { return uses[s] }

// ReadPart is Read for a description that may lack sections, such as one of the five numbers of LogGP. The caller calls
// Need before it uses a part of the machine.
//
// Without [system], each rank has a node of its own. Without [processor], no latency may be in cycles.
func ReadPart(name string) (*Machine, error) {
	path, err := FindFile(name)
	if err != nil {
		return nil, err
	}
	d, err := strict.Read(path)
	if err != nil {
		return nil, err
	}
	return decodePart(d)
}

// ParsePart is Parse for a description that may lack sections.
func ParsePart(name string, description []byte) (*Machine, error) {
	d, err := strict.Parse(name, description)
	if err != nil {
		return nil, err
	}
	return decodePart(d)
}

// decodePart decodes a description that may lack sections. Its default name is that of the file.
func decodePart(d *strict.Document) (*Machine, error) {
	m, err := decode(d, true)
	if err == nil && m.Name == "" {
		m.Name = strings.TrimSuffix(filepath.Base(d.Name()), extension)
	}
	return m, err
}

// Need returns an error that lists all of the sections that m lacks, or nil. The first argument says what needs them.
func (m *Machine) Need(what string, sections ...Section) error {
	var missing []Section
	for _, s := range sections {
		if slices.Contains(m.Missing, s) || s == NetworkSection && m.Network == nil {
			missing = append(missing, s)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%s: machine %q %s", what, m.Name, lacks(missing))
}

// NeedReferences is Need for the sections that references need, and more. Nodes of a machine without [network] cannot share
// memory.
func (m *Machine) NeedReferences(what string, more ...Section) error {
	if slices.Contains(m.Missing, NetworkSection) && !slices.Contains(more, NetworkSection) {
		more = append(more, NetworkSection)
	}
	return m.Need(what, slices.Concat(references, more)...)
}

// lacks lists missing sections and their uses.
func lacks(missing []Section) string {
	var each []string
	for _, s := range missing {
		each = append(each, fmt.Sprintf("%s for %s", s, uses[s]))
	}
	what := "section"
	if len(missing) > 1 {
		what += "s"
	}
	return fmt.Sprintf("lacks %d %s; add %s", len(missing), what, strings.Join(each, ", "))
}

// missing lists the absent sections of a document.
func (d *document) missing() (list []Section) {
	noCaches := d.System != nil && d.System.Target != nil && !Target(*d.System.Target).hasCaches()
	severalNodes := d.System != nil && d.System.Nodes != nil && *d.System.Nodes > 1
	for _, one := range []struct {
		section Section
		absent  bool
	}{
		{ProcessorSection, d.Processor == nil}, {MemorySection, d.Memory == nil}, {cacheSection, len(d.Cache) == 0 && !noCaches},
		{SystemSection, d.System == nil}, {NetworkSection, d.Network == nil && severalNodes},
	} {
		if one.absent {
			list = append(list, one.section)
		}
	}
	return list
}

// placeholderClock is the clock of a machine without [processor]. Nothing uses it: times in cycles are refused then.
const placeholderClock = unit.Hertz(1e9)

// needsCycles refuses a latency in cycles without a clock.
func (r *reader) needsCycles(path, text string) {
	if _, err := unit.Parse(text, "cycles"); err == nil && r.part && slices.Contains(r.m.Missing, ProcessorSection) {
		r.fail(path, "%q is in cycles of the clock, but the section [processor] is missing", text)
	}
}

// ranksOnNodes is the system of a machine without [system]: as many nodes of one processor as the network has.
func (r *reader) ranksOnNodes(doc *document) {
	r.m.System = System{Target: COW, Processors: 1, Nodes: MaxProcessors}
	if n := r.m.Network; n != nil && n.Room() > 0 {
		r.m.System.Nodes = n.Room()
	}
	r.m.Assumed = append(r.m.Assumed, "[system] not given: each rank has a node of its own")
	for _, one := range []struct {
		path  string
		given bool
	}{
		{"directory", doc.Directory != nil}, {"messages", doc.Messages != nil}, {"tlb", doc.TLB != nil},
	} {
		if one.given && r.part {
			r.fail(one.path, "needs the section [system], which is missing")
		}
	}
}
