package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxUnknownKinds is how many unknown kinds of markers are named.
const maxUnknownKinds = 8

// drTally is what an import counts of all its files.
type drTally struct {
	files   int
	guessed bool   // what a processor is
	all     uint64 // records

	types        [64]uint64
	markers      [drMarks]uint64
	unknown      uint64 // markers
	unknownKinds []uint16
	versions     uint64 // a bit for each
	fileTypes    uint64 // the bits of all

	pcOnly       uint64 // instructions without a size
	unsized      uint64 // data references without a size
	repeated     uint64 // times and cpus at the starts of chunks
	chunkGaps    uint64
	windows      uint64
	otherWidth   uint64 // files whose type says another size of addresses than their records have
	openFlushes  uint64 // that have no end
	splitFlushes uint64
	cutFlushes   uint64
}

// counts are the records by type, the markers by kind, and what they add up to.
func (im *drImport) counts() (all []Count) {
	add := func(name string, n uint64) {
		if n > 0 {
			all = append(all, Count{name, n})
		}
	}
	for t, name := range drTypeNames {
		add(name, im.types[t])
	}
	for kind, name := range drMarkerNames {
		add("marker "+name, im.markers[kind])
	}
	add("marker unknown", im.unknown)
	add("markers repeated in chunks", im.repeated)
	add("data references without a size", im.unsized)
	add("fetched instructions", im.fetched())
	return all
}

func (im *drImport) fetched() (n uint64) {
	for _, p := range im.procs {
		n += p.instrs
	}
	return n
}

// notes are what was chosen, changed or left out.
func (im *drImport) notes() (all []string) {
	add := func(n uint64, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	count := func(n uint64, noun string) string { return plural(int(n), noun) }
	if im.guessed && im.by == "core" { // by thread, a file is a thread and both are the same
		add(1, "every core is a processor, as the files are sharded; --set by=thread makes one of each thread")
	}
	add(im.fileTypes&drFiltered, "the trace is filtered: references that hit in the filter's cache are missing, %s", im.filteredOut())
	add(im.fileTypes&drInstrOnly, "the trace has instructions and no data references")
	add(im.fileTypes&drRegDeps, "the trace was reduced to dependencies of registers: instructions have other lengths than the program's")
	add(im.pcOnly, "%s not fetched, given by address alone for data references that follow", count(im.pcOnly, "instruction"))
	add(im.unsized, "%s without a size taken for %s; --default-size chooses another", count(im.unsized, "data reference"), plural(int(im.defaultSize()), "byte"))
	add(im.types[drHWPrefetch], "%s of the hardware stored as prefetches", count(im.types[drHWPrefetch], "prefetch"))
	add(im.types[drInstrFlush], "flushes of the instruction cache stored as flushes: %d", im.types[drInstrFlush])
	add(im.splitFlushes, "flushes over 65535 bytes split into pieces of %d: %d", flushPiece, im.splitFlushes)
	add(im.cutFlushes, "flushes over %d bytes cut to these: %d", maxFlush, im.cutFlushes)
	add(im.openFlushes, "flushes without an end left out: %d", im.openFlushes)
	add(im.unknown, "%s of unknown kinds left out (%s)", count(im.unknown, "marker"), im.kinds())
	add(im.chunkGaps, "the footers of chunks are not in sequence, %s: chunks may be missing", count(im.chunkGaps, "time"))
	add(im.otherWidth, "the file type says addresses of another size than the records have")
	return all
}

// defaultSize is that of references without a size.
func (im *drImport) defaultSize() uint16 { return max(1, im.o.DefaultSize) }

// filteredOut says what is known of instructions that were filtered out.
func (im *drImport) filteredOut() string {
	var n uint64
	for _, p := range im.procs {
		n += p.filtered
	}
	if n == 0 {
		return "and instructions are counted as far as they are recorded"
	}
	return fmt.Sprintf("and %d instructions are counted where the trace gives their number, not where they were executed", n)
}

func (im *drImport) kinds() string {
	var names []string
	for _, k := range im.unknownKinds {
		names = append(names, strconv.Itoa(int(k)))
	}
	return strings.Join(names, ", ")
}

// facts go with the trace without being worth a message.
func (im *drImport) facts() (all []string) {
	var versions, types []string
	for v := range drNewest + 1 {
		if im.versions>>v&1 != 0 {
			versions = append(versions, strconv.Itoa(v))
		}
	}
	for i, name := range drFileTypes {
		if im.fileTypes>>i&1 != 0 {
			types = append(types, name)
		}
	}
	fact := "drmemtrace of version " + strings.Join(versions, ", ")
	if len(types) > 0 {
		fact += ": " + strings.Join(types, ", ")
	}
	all = append(all, fact)
	if left := im.types[drEncoding] + im.types[drMarker] - im.windows - im.markers[drMarkFilterEnd]; left > 0 {
		all = append(all, fmt.Sprintf("left out: %d encodings of instructions, %d markers", im.types[drEncoding], left-im.types[drEncoding]))
	}
	if im.windows > 0 {
		all = append(all, "a marker is the start of the window of its tag")
	}
	if im.markers[drMarkFilterEnd] > 0 {
		all = append(all, "a marker without a tag is the end of the filtered warmup")
	}
	return append(all, im.tasksOf()...)
}

// tasksPerFact keeps lines readable.
const tasksPerFact = 64

// tasksOf says which threads the processors are, or which ran on them.
func (im *drImport) tasksOf() (all []string) {
	if im.by == "core" {
		for i, p := range im.procs {
			for some := range slices.Chunk(p.tasks, tasksPerFact) {
				all = append(all, fmt.Sprintf("processor %d ran %s", int(im.o.FirstProc)+i, taskNames(some)))
			}
		}
		return all
	}
	var tasks []*drTask
	for _, p := range im.procs {
		tasks = append(tasks, p.tasks...)
	}
	first := int(im.o.FirstProc)
	for some := range slices.Chunk(tasks, tasksPerFact) {
		all = append(all, fmt.Sprintf("processors from %d on are %s", first, taskNames(some)))
		first += len(some)
	}
	return all
}

// taskNames is "thread 11, 12 (process 11), 21 (process 20)".
func taskNames(tasks []*drTask) string {
	var b strings.Builder
	b.WriteString("thread ")
	for i, t := range tasks {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d", t.tid)
		if i+1 == len(tasks) || tasks[i+1].pid != t.pid {
			fmt.Fprintf(&b, " (process %d)", t.pid)
		}
	}
	return b.String()
}
