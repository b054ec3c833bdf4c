package phases

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/store"
	"spoor/traces/unit"
)

// row is a row of the table.
type row struct {
	proc                                int32
	phase, window, line, sets, distance int64
	count                               uint64
	event                               event
}

// Load reads the rows of one line size of a phases table. If the table does not have this size, the error
// lists the sizes.
func Load(t store.TableSource, line unit.Bytes) (*Profile, error) {
	head := t.Head()
	if head.Name != "phases" {
		return nil, fmt.Errorf("a %s table, not a phases table", head.Name)
	}
	if head.Fact(partsFact) != "" {
		return nil, errors.New("some processors meet at barriers without others, so that phases are not the same for all; use predict replay")
	}
	p := &Profile{line: int64(line)}
	if err := p.readFacts(head); err != nil {
		return nil, err
	}
	var lines []int64
	var places []windowRows
	err := eachRow(t, func(x *row) {
		if !slices.Contains(lines, x.line) {
			lines = append(lines, x.line)
		}
		if x.line == p.line {
			places = addCounter(places, x)
			p.Procs = max(p.Procs, int(x.proc)+1)
		}
	})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(lines, p.line) {
		return nil, fmt.Errorf("the phases table has no lines of %v; it has %s", line, listOf(lines, "B"))
	}
	return p, p.index(places)
}

// addCounter adds a row to the last window, or to a new one.
func addCounter(places []windowRows, x *row) []windowRows {
	n := len(places)
	if n == 0 || places[n-1].phase != x.phase || places[n-1].window != x.window || places[n-1].proc != x.proc {
		if n > 0 {
			places[n-1].counters = slices.Clone(places[n-1].counters) // frees unused memory
		}
		places = append(places, windowRows{phase: x.phase, window: x.window, proc: x.proc})
		n++
	}
	last := &places[n-1]
	last.counters = append(last.counters, counter{x.count, int32(x.sets), int8(x.distance), x.event})
	return places
}

// The facts of a phases table: the numbers of sets, the maximum number of ways, and the length of a window in
// instructions. A trace without data references has no rows with these values.
const (
	setsFact   = "sets"
	waysFact   = "ways"
	windowFact = "window"
	aloneFact  = "upgrades alone"
	partsFact  = "barriers" // of some processors, or empty
	locksFact  = "locks"
	flagsFact  = "flags"
)

// SyncCounts returns how often the program of a phases table acquires locks, and how often its processors
// wait for flags and for ends of others. ok is false if the table has no such facts or is nil.
func SyncCounts(t *store.Table) (locks, flags uint64, ok bool) {
	if t == nil {
		return 0, 0, false
	}
	locks, err := strconv.ParseUint(t.Fact(locksFact), 10, 64)
	flags, errFlags := strconv.ParseUint(t.Fact(flagsFact), 10, 64)
	return locks, flags, err == nil && errFlags == nil
}

func (p *Profile) readFacts(t *store.Table) error {
	for _, text := range splitList(t.Fact(setsFact)) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("the phases table's sets are %q, not a list of numbers", t.Fact(setsFact))
		}
		p.Sets = append(p.Sets, n)
	}
	p.Alone = t.Fact(aloneFact) != ""
	size, err := strconv.ParseUint(t.Fact(windowFact), 10, 64)
	if err != nil || size == 0 {
		return fmt.Errorf("the phases table's window is %q, not a number of instructions; run analyze again", t.Fact(windowFact))
	}
	p.Window = unit.Instructions(size)
	ways := cmp.Or(t.Fact(waysFact), "16") // older tables have no such fact
	if p.Ways, err = strconv.Atoi(ways); err != nil || p.Ways < 1 || p.Ways > MaxWays {
		return fmt.Errorf("the phases table's maximum of ways is %q, not a number from 1 to %d; run analyze again", ways, MaxWays)
	}
	return nil
}

// index sorts the windows. Every processor has every phase.
func (p *Profile) index(places []windowRows) error {
	slices.SortStableFunc(places, func(a, b windowRows) int { return a.compare(&b) })
	for i := range places {
		x := &places[i]
		if x.phase > int64(len(p.phases)) {
			return fmt.Errorf("the phases table has no phase %d", len(p.phases))
		}
		if x.phase == int64(len(p.phases)) {
			p.phases, p.Windows = append(p.phases, nil), append(p.Windows, nil)
		}
		windows, numbers := &p.phases[x.phase], &p.Windows[x.phase]
		if n := len(*numbers); n == 0 || (*numbers)[n-1] != x.window {
			*windows, *numbers = append(*windows, make([]window, p.Procs)), append(*numbers, x.window)
		}
		counters := &(*windows)[len(*windows)-1][x.proc]
		if *counters == nil {
			*counters = x.counters
		} else {
			*counters = append(*counters, x.counters...)
		}
	}
	return p.complete()
}

// complete checks that the table has every phase of every processor.
func (p *Profile) complete() error {
	for phase, windows := range p.phases {
		for proc := range p.Procs {
			if !slices.ContainsFunc(windows, func(w []window) bool { return w[proc] != nil }) {
				return fmt.Errorf("the phases table lacks phase %d of processor %d", phase, proc)
			}
		}
	}
	return nil
}

// eachRow calls use for each valid row of a phases table.
func eachRow(t store.TableSource, use func(*row)) error {
	return eachBatch(t, func(batch *store.Table, first int) error { return eachOfBatch(batch, first, use) })
}

// eachBatch calls use for each batch of a table, with the number of rows before it, until use fails.
func eachBatch(t store.TableSource, use func(batch *store.Table, first int) error) error {
	first := 0
	for batch, err := range t.Batches() {
		if err != nil {
			return err
		}
		if err := use(batch, first); err != nil {
			return err
		}
		first += batch.Rows()
	}
	return nil
}

func eachOfBatch(t *store.Table, from int, use func(*row)) error {
	proc, err1 := store.Data[int32](t, "proc")
	phase, err2 := store.Data[int64](t, "phase")
	at, err8 := store.Data[int64](t, "window")
	line, err3 := store.Data[int64](t, "line")
	sets, err4 := store.Data[int64](t, "sets")
	names, err5 := store.Data[string](t, "event")
	distance, err6 := store.Data[int64](t, "distance")
	count, err7 := store.Data[uint64](t, "count")
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8} {
		if err != nil {
			return err
		}
	}
	for i := range proc {
		e := event(max(0, slices.Index(eventNames[:], names[i])))
		if e == 0 || names[i] == "" || proc[i] < 0 || phase[i] < 0 || at[i] < 0 || phase[i] > math.MaxInt32 || distance[i] < invalidated || distance[i] > MaxWays ||
			sets[i] < 0 || sets[i] > math.MaxInt32 {
			return fmt.Errorf("row %d of the phases table: event %q at distance %d, processor %d, phase %d, %d sets is impossible", from+i, names[i], distance[i], proc[i], phase[i], sets[i])
		}
		use(&row{proc[i], phase[i], at[i], line[i], sets[i], distance[i], count[i], e})
	}
	return nil
}

func splitList(text string) []string { return strings.Split(text, ", ") }

func listOf[T int | int64 | unit.Instructions | Placement | Network](values []T, unit string) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf("%v%s", v, unit))
	}
	return strings.Join(out, ", ")
}
