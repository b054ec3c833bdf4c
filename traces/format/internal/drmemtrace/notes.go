package drmemtrace

import (
	"fmt"
	"slices"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"strconv"
	"strings"
)

// drTally holds the counts of an import, over all its files.
type drTally struct {
	files   int
	guessed bool   // the kind of processor is a guess
	all     uint64 // records

	types        [64]uint64
	markers      [drMarks]uint64
	unknown      uint64 // markers
	unknownKinds []uint16
	versions     uint64 // set of versions, one bit each
	fileTypes    uint64 // union of the bits of all files

	pcOnly       uint64 // instructions without a size
	unsized      uint64 // data references without a size
	repeated     uint64 // times and cpus repeated at the starts of chunks
	chunkGaps    uint64
	windows      uint64
	otherWidth   uint64 // files whose type gives another address size than their records
	openFlushes  uint64 // flushes without an end
	splitFlushes uint64
	cutFlushes   uint64
}

// counts returns the records by type, the markers by kind, and totals.
func (im *drImport) counts() (all []format.Count) {
	add := func(name string, n uint64) {
		if n > 0 {
			all = append(all, format.Count{Name: name, N: n})
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

// notes returns the guesses, changes and omissions.
func (im *drImport) notes() (all []string) {
	add := func(n uint64, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	count := func(n uint64, noun string) string { return input.Plural(int(n), noun) }
	if im.guessed && im.by == "core" { // by thread, a file is a thread, so both are the same
		add(1, "every core is a processor, because the files are sharded by core; --set by=thread makes every thread one")
	}
	add(im.fileTypes&drFiltered, "the trace is filtered: references that hit in the filter's cache are missing, %s", im.filteredOut())
	add(im.fileTypes&drInstrOnly, "the trace has instructions and no data references")
	add(im.fileTypes&drRegDeps, "the trace is reduced to register dependencies: instruction lengths differ from the program's")
	add(im.pcOnly, "%s not fetched; they only give the pc of the next data references", count(im.pcOnly, "instruction"))
	add(im.unsized, "%s without a size counted as %s; --default-size sets another size", count(im.unsized, "data reference"), input.Plural(int(im.defaultSize()), "byte"))
	add(im.types[drHWPrefetch], "%s by the hardware stored as prefetches", count(im.types[drHWPrefetch], "prefetch"))
	add(im.types[drInstrFlush], "flushes of the instruction cache stored as flushes: %d", im.types[drInstrFlush])
	add(im.splitFlushes, "flushes over 65535 bytes split into pieces of %d: %d", flushPiece, im.splitFlushes)
	add(im.cutFlushes, "flushes over %d bytes truncated to that size: %d", maxFlush, im.cutFlushes)
	add(im.openFlushes, "flushes without an end omitted: %d", im.openFlushes)
	add(im.unknown, "%s of unknown kinds omitted (%s)", count(im.unknown, "marker"), im.kinds())
	add(im.chunkGaps, "the footers of chunks are not in sequence, %s: chunks may be missing", count(im.chunkGaps, "time"))
	add(im.otherWidth, "the address size in the file type differs from that of the records")
	return all
}

// defaultSize returns the size of references that have none.
func (im *drImport) defaultSize() uint16 { return max(1, im.o.DefaultSize) }

// filteredOut describes the known instructions that were filtered out.
func (im *drImport) filteredOut() string {
	var n uint64
	for _, p := range im.procs {
		n += p.filtered
	}
	if n == 0 {
		return "and only recorded instructions are counted"
	}
	return fmt.Sprintf("and %d instructions are counted where the trace gives their number, not where they ran", n)
}

func (im *drImport) kinds() string {
	var names []string
	for _, k := range im.unknownKinds {
		names = append(names, strconv.Itoa(int(k)))
	}
	return strings.Join(names, ", ")
}

// facts returns properties of the trace that need no message.
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
		all = append(all, fmt.Sprintf("omitted: %d encodings of instructions, %d markers", im.types[drEncoding], left-im.types[drEncoding]))
	}
	if im.windows > 0 {
		all = append(all, "a Marker event is the start of the window of its tag")
	}
	if im.markers[drMarkFilterEnd] > 0 {
		all = append(all, "a Marker event without a tag is the end of the filtered warmup")
	}
	return append(all, im.tasksOf()...)
}

// tasksPerFact limits the length of a line.
const tasksPerFact = 64

// tasksOf lists the threads of the processors: one each, or those that ran on a core.
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

// taskNames returns text such as "thread 11, 12 (process 11), 21 (process 20)".
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
