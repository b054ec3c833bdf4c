package timing

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// simgrid reads the files of SimGrid's platform-calibration: lines of
//
//	function,size,start,duration
//
// with start and duration in seconds. Each line is a repetition. The meaning of MPI_Recv depends on the file. In a
// file of ping-pongs it is the rest of the round trip that the MPI_Send with the same start began. Both together
// are the round trip, and the send alone is the sender's overhead. In a file of receives there are no sends, and
// messages had already arrived: MPI_Recv is the receiver's overhead. MPI_Isend is the sender's overhead of
// asynchronous messages. Other functions (MPI_Wtime, MPI_Iprobe, MPI_Test) are skipped, because no model here uses
// them. The format is from public files and source.
var simgrid = format{name: "SimGrid", what: "CSV of SimGrid's platform-calibration: ping-pongs, receives or asynchronous sends",
	sniff: func(head []byte) bool { return simgridLine.Match(head) }, read: readSimGrid}

var simgridLine = regexp.MustCompile(`\A(?:(?:function|op),size,start,duration\r?\n)?"?MPI_[A-Za-z]+"?,[0-9]+,`)

// simgridTaken are the functions whose times are used.
var simgridTaken = map[string]bool{"MPI_Send": true, "MPI_Recv": true, "MPI_Isend": true}

// simgridRow is a line.
type simgridRow struct {
	function string
	size     int64
	start    string // as text: ping-pongs are joined by it
	duration float64
	line     int
}

func readSimGrid(f *file) error {
	rows, err := simgridRows(f)
	if err != nil {
		return err
	}
	pingpongs := slices.ContainsFunc(rows, func(r simgridRow) bool { return r.function == "MPI_Send" })
	s := simgridFile{f: f, reps: map[packing.Point]int{}, skipped: map[string]int{}}
	for i := 0; i < len(rows); i++ {
		r := &rows[i]
		switch {
		case r.function == "MPI_Send":
			i++
			if i == len(rows) || rows[i].function != "MPI_Recv" || rows[i].size != r.size || rows[i].start != r.start {
				return f.errorf(r.line, "no MPI_Recv of the same size and start follows this MPI_Send")
			}
			err = errors.Join(s.add(PingPong, r, r.duration+rows[i].duration), s.add(Send, r, r.duration))
		case r.function == "MPI_Recv" && pingpongs:
			return f.errorf(r.line, "no MPI_Send of the same size and start precedes this MPI_Recv")
		case r.function == "MPI_Recv":
			err = s.add(Receive, r, r.duration)
		case r.function == "MPI_Isend":
			err = s.add(Send, r, r.duration)
		default:
			s.skipped[r.function]++
		}
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.skipped)) {
		f.warnings = append(f.warnings, fmt.Errorf("%s: %d times of %s were skipped: no model here uses them", f.path, s.skipped[name], name))
	}
	return nil
}

// simgridFile is the state of the reader, which numbers repetitions.
type simgridFile struct {
	f       *file
	reps    map[packing.Point]int
	skipped map[string]int
}

func (s *simgridFile) add(e packing.Experiment, r *simgridRow, duration float64) error {
	p := packing.Point{Experiment: e, Bytes: unit.Bytes(r.size)}
	rep := s.reps[p]
	s.reps[p]++
	return s.f.add(Timing{Point: p, Rep: rep, Time: unit.Seconds(duration)}, r.line)
}

func simgridRows(f *file) (rows []simgridRow, err error) {
	line := 0
	seen := map[simgridRow]int{}
	for text := range strings.Lines(string(f.text)) {
		line++
		if text = strings.TrimSpace(text); text == "" || line == 1 && strings.HasSuffix(text, ",size,start,duration") {
			continue
		}
		cells := strings.Split(text, ",")
		if len(cells) != 4 {
			return nil, f.errorf(line, "%d values, not function, size, start, duration", len(cells))
		}
		r := simgridRow{function: strings.Trim(cells[0], `"`), start: cells[2]}
		if r.size, err = strconv.ParseInt(cells[1], 10, 64); err != nil || r.size < 0 {
			return nil, f.errorf(line, "%q is not a size in bytes", cells[1])
		}
		if start, err := strconv.ParseFloat(cells[2], 64); err != nil || math.IsNaN(start) || math.IsInf(start, 0) {
			return nil, f.errorf(line, "%q is not a time in seconds", cells[2])
		}
		if r.duration, err = strconv.ParseFloat(cells[3], 64); err != nil || math.IsNaN(r.duration) || math.IsInf(r.duration, 0) || r.duration < 0 {
			return nil, f.errorf(line, "%q is not a duration in seconds", cells[3])
		}
		if first, twice := seen[r]; twice && simgridTaken[r.function] { // probes are shorter than the clock of start
			return nil, f.errorf(line, "the same as line %d", first)
		}
		seen[r] = line
		if r.line = line; len(rows) == maxTimings {
			return nil, f.errorf(line, "more than %d lines", maxTimings)
		}
		rows = append(rows, r)
	}
	return rows, nil
}
