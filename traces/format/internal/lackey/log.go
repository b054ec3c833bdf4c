package lackey

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

const (
	maxOddPercent  = 1       // of foreign lines; with more, the file is not a lackey trace
	oddCheckLine   = 1 << 16 // line at which a file of mostly foreign lines is rejected early
	maxMarkerNames = 256     // markers with further texts have no name
)

// lackeyLog holds valgrind's messages around the records, and foreign lines.
type lackeyLog struct {
	program, version string
	pids             []string
	markers          []string // their texts; a marker's Tag is an index
	banner, ended    bool
	base             uint64 // instructions before the latest banner
	mismatch         error  // the first summary with another instruction count
	child            bool   // a forked child, for which a mismatch is correct
	signal           string // signal that ended the run, such as "signal 11 (SIGSEGV)"
	unprinted        uint64 // instructions in the summary that were not printed because of the signal
	first            uint64 // address of the first instruction

	superblocks, odd, glued, cut int
	firstOdd                     error
	firstOddLine                 int
}

// slow handles one line of any kind.
func (p *lackeyParser) slow(raw []byte, last bool) error {
	if p.stream.Err != nil {
		return p.stream.Err
	}
	if err := p.CheckNUL(raw); err != nil {
		return err
	}
	line := bytes.TrimSuffix(raw, []byte{'\r'})
	if kind := recordKind(line); kind != 0 {
		p.trimEnd(raw)
		return p.strict(kind, bytes.TrimRight(line, input.Blanks), last)
	}
	p.wasLoad = false
	if mark, pid, text, ok := valgrindLine(line); ok {
		p.Crlf += len(raw) - len(line)
		p.valgrind(mark, pid, text, last)
		return nil
	}
	line = p.Trim(raw)
	if len(line) == 0 {
		return nil
	}
	if bytes.HasPrefix(line, []byte("SB ")) {
		if _, problem := input.ParseHex(line[3:]); problem == "" {
			p.superblocks++
			return nil
		}
	}
	return p.foreignLine(line, last)
}

// trimEnd counts the text around a record. The first blank belongs to the record.
func (p *lackeyParser) trimEnd(raw []byte) {
	line := bytes.TrimSuffix(raw, []byte{'\r'})
	if len(line) != len(raw) {
		p.Crlf++
	}
	if len(bytes.TrimRight(line, input.Blanks)) != len(line) {
		p.Padded++
	}
}

// strict parses a line that begins like a record. The rest must be valid, because a
// skipped record would be a reference lost without notice. Only the last line of the
// file may be truncated.
func (p *lackeyParser) strict(kind byte, line []byte, last bool) error {
	addr, size, problem, advice := lackeyFields(line[min(3, len(line)):])
	switch {
	case problem == "":
		if last {
			p.Unended++
		}
		p.record(kind, addr, uint16(size))
		return nil
	case last && size == 0 && advice == adviceCut:
		p.cut++
		p.oddLine(line, reasonCut, "")
		return nil
	}
	return p.Fail(line, problem, advice)
}

const (
	reasonCut = "the last line is truncated (no line end, no size): the run was killed"
	adviceCut = "the trace is damaged; make it again"
	adviceMix = "program output was mixed into the trace; run valgrind with --log-file"
)

// lackeyFields parses "address,size".
func lackeyFields(b []byte) (addr, size uint64, problem, advice string) {
	address, rest, comma := bytes.Cut(b, []byte{','})
	addr, problem = input.ParseHex(address)
	switch {
	case problem != "" && !comma && len(address) > 0:
		return 0, 0, "the address is " + problem, adviceMix
	case problem != "":
		return 0, 0, "the address is " + problem, adviceCut
	case !comma || len(rest) == 0:
		return 0, 0, "missing \",size\" after the address", adviceCut
	}
	digits := 0
	for digits < len(rest) && rest[digits]-'0' <= 9 {
		digits++
	}
	if digits > 0 && digits < len(rest) {
		return 0, 1, "text after the size", adviceMix
	}
	size, problem = input.ParseDecimal(rest)
	if problem != "" {
		return 0, 1, "the size is " + problem, adviceCut
	}
	if problem = input.SizeProblem(addr, size); problem != "" {
		return 0, 1, problem, adviceCut
	}
	return addr, size, "", ""
}

// foreignLine handles a line that is not valgrind's and does not begin like a record. It is
// a record with other blanks around it, a record directly after program output, or
// program output.
func (p *lackeyParser) foreignLine(line []byte, last bool) error {
	if kind := line[0]; len(line) > 2 && bytes.IndexByte([]byte("ILSM"), kind) >= 0 && line[1] == ' ' {
		if addr, size, problem, _ := lackeyFields(bytes.TrimLeft(line[1:], input.Blanks)); problem == "" {
			p.Padded++
			p.record(kind, addr, uint16(size))
			return nil
		}
	}
	for at := len(line) - 1; at > 0; at-- {
		kind := recordKind(line[at:])
		if kind == 0 {
			continue
		}
		addr, size, problem, _ := lackeyFields(line[at+3:])
		if problem == "" && bytes.IndexByte(line[at+3:], ',') >= 8 {
			p.record(kind, addr, uint16(size))
			p.glued++
			break
		}
	}
	if last && (len(line) == 1 && bytes.Contains([]byte("ILSM"), line) || line[0] == '=' || line[0] == '-') {
		p.cut++
		p.oddLine(line, reasonCut, "")
		return nil
	}
	p.oddLine(line, "not a lackey record", adviceMix)
	if p.Line == oddCheckLine && p.odd > oddCheckLine/2 {
		return p.firstOdd
	}
	return nil
}

func (p *lackeyParser) oddLine(line []byte, reason, advice string) {
	if p.odd == 0 {
		p.firstOdd, p.firstOddLine = p.Fail(line, reason, advice), p.Line
	}
	p.odd++
}

// valgrindLine splits "==PID== text", "--PID-- text" and "**PID** text". It also
// accepts a time before the PID, and the > of a valgrind within valgrind.
func valgrindLine(line []byte) (mark byte, pid, text []byte, ok bool) {
	line = bytes.TrimLeft(line, ">")
	if len(line) < 5 || line[0] != line[1] || (line[0] != '=' && line[0] != '-' && line[0] != '*') {
		return 0, nil, nil, false
	}
	mark = line[0]
	inner, text, found := bytes.Cut(line[2:], line[:2])
	if !found || len(text) > 0 && text[0] != ' ' {
		return 0, nil, nil, false
	}
	if at := bytes.LastIndexByte(inner, ' '); at >= 0 {
		if len(bytes.Trim(inner[:at], "0123456789:.-")) > 0 {
			return 0, nil, nil, false
		}
		inner = inner[at+1:]
	}
	if _, problem := input.ParseDecimal(inner); problem != "" {
		return 0, nil, nil, false
	}
	return mark, inner, bytes.TrimSpace(text), true
}

const diedOf = "Process terminating with default action of "

func (p *lackeyParser) valgrind(mark byte, pid, text []byte, last bool) {
	if !slices.Contains(p.pids, string(pid)) && len(p.pids) < maxMarkerNames {
		p.pids = append(p.pids, string(pid))
	}
	if mark == '*' {
		p.marker(string(text))
		return
	}
	if mark != '=' {
		return
	}
	key, value, _ := strings.Cut(string(text), ":")
	value = strings.TrimSpace(value)
	switch {
	case strings.HasPrefix(key, "Lackey, an example Valgrind tool"):
		p.banner, p.ended, p.base, p.signal = true, false, p.instrs, ""
	case strings.HasPrefix(key, "Using Valgrind-"):
		p.version, _, _ = strings.Cut(strings.TrimPrefix(key, "Using "), " ")
	case key == "Command" && p.program == "":
		p.program = value
	case strings.HasPrefix(key, diedOf):
		p.signal = strings.TrimPrefix(key, diedOf)
	case key == "guest instrs" && !last: // the number at the end of a truncated log may be truncated too
		p.summary(value)
	case key == "Exit code":
		p.ended = true
	}
}

// lackeyEvents is the number of records that lackey buffers before printing. A fault
// among their instructions loses them, although the summary already counts them.
const lackeyEvents = 4

// summary compares the instruction count at the end of a run with ours.
func (p *lackeyParser) summary(value string) {
	p.ended = true
	stated, problem := input.ParseDecimal([]byte(strings.ReplaceAll(value, ",", "")))
	have := p.instrs - p.base
	if p.signal != "" && stated > have && stated-have <= lackeyEvents {
		p.unprinted += stated - have
		return
	}
	if problem == "" && stated != have && p.mismatch == nil {
		p.mismatch = p.Fail(nil, fmt.Sprintf("the summary counts %d guest instructions, the trace has %d I lines: lines are lost",
			stated, have), adviceCut+"; use --lackey-summary=ignore for a forked child (its count includes the parent's), or a program "+
			"that handles its own faults (SIGSEGV; valgrind drops up to 4 lines at each)")
		p.child = p.base == 0 && stated > have && p.first >= firstLibrary
	}
}

// firstLibrary is the address where valgrind puts shared libraries. A program starts
// below it, in its own code or in the loader. A child that was forked in a dynamically
// linked program starts above, in the C library's fork.
const firstLibrary = 0x4800000

// marker records a VALGRIND_PRINTF of the program as an event.
func (p *lackeyParser) marker(text string) {
	e := trace.NewEvent(trace.Marker)
	at := slices.Index(p.markers, text)
	if at < 0 && len(p.markers) < maxMarkerNames {
		at = len(p.markers)
		p.markers = append(p.markers, text)
	}
	e.Tag = int32(at)
	p.stream.Mark(e)
}

// check checks what is known only at the end of the file.
func (p *lackeyParser) check() error {
	switch {
	case p.odd*100 > p.Line*maxOddPercent:
		return p.firstOdd
	case p.records == 0:
		return p.Fail(nil, "end of file after no records", "run valgrind with --tool=lackey --trace-mem=yes; with these, the run ended before its first record")
	case len(p.pids) <= 1 && !p.child && !p.o.IgnoreSummary:
		return p.mismatch
	}
	return nil
}

func (p *lackeyParser) notes() []string {
	all := p.Text.Notes()
	add := func(n int, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(p.cut, "the last line is truncated and omitted: the run was killed")
	add(p.odd-p.cut, "%s of %d not lackey's, first at line %d, skipped as program output; valgrind --log-file separates it",
		input.Plural(p.odd-p.cut, "line"), p.Line, p.firstOddLine)
	add(p.glued, "%s of these end in a record, which is imported", input.Plural(p.glued, "line"))
	add(int(min(p.early, 1)), "line %d: %s before the first instruction, so their instruction is unknown", p.earlyLine, input.Plural(int(p.early), "data reference"))
	add(p.superblocks, "superblock entries omitted: %d", p.superblocks)
	add(len(p.pids)-1, "%d processes share the log: their references are one stream, and summaries are not checked", len(p.pids))
	add(int(min(p.atomics, 1)), "%s directly before a modify of the same bytes merged into it", input.Plural(int(p.atomics), "load"))
	add(int(p.unprinted), "the run died of %s: valgrind counted %s at the end without printing them", p.signal, input.Plural(int(p.unprinted), "instruction"))
	if p.mismatch != nil && len(p.pids) <= 1 {
		why := "the summary was not checked"
		if p.child {
			why = "the summary was not checked, because it counts more instructions, as for a forked child"
		}
		all = append(all, why)
	}
	if p.banner && !p.ended {
		all = append(all, "no summary at the end: the run was killed, or the log is truncated")
	}
	for i, m := range p.markers {
		all = append(all, "marker "+strconv.Itoa(i)+" is "+input.Quote([]byte(m)))
	}
	return all
}

// facts returns properties of the trace that need no message.
func (p *lackeyParser) facts() (all []string) {
	if p.version != "" {
		all = append(all, "traced by "+p.version+", tool lackey")
	}
	return append(all, "all threads of the program are one processor, in the order in which valgrind ran them")
}
