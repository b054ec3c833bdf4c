package outcome

import (
	"fmt"
	"slices"
	"strings"

	"spoor/traces/unit"
)

// Blocked is an operation that waits forever.
type Blocked struct {
	Rank int32
	Row  int64  // of the operation in its program
	For  int32  // the rank that it waits for, or None: any
	What string // that it waits for: "a message from rank 1 with tag 3"
}

// Deadlock is the error of a run in which ranks wait forever.
type Deadlock struct {
	At      unit.Picos // of the last event
	Ranks   int
	Blocked []Blocked // by rank and row
	Left    []string  // unmatched messages and receives, the first of each rank
}

// maxNamed is how many of a kind an error names.
const MaxNamed = 8

// Error names the blocked ranks, their operations, and what they wait for.
func (d *Deadlock) Error() string {
	var b strings.Builder
	waiting := map[int32]bool{}
	for _, w := range d.Blocked {
		waiting[w.Rank] = true
	}
	fmt.Fprintf(&b, "deadlock at %v: %d of %d ranks wait forever", d.At, len(waiting), d.Ranks)
	for i, w := range d.Blocked[:min(MaxNamed, len(d.Blocked))] {
		sep := ";"
		if i == 0 {
			sep = ":"
		}
		fmt.Fprintf(&b, "%s rank %d (event %d) for %s", sep, w.Rank, w.Row, w.What)
		if w.For >= 0 && !waiting[w.For] {
			fmt.Fprintf(&b, ", which has ended")
		}
	}
	if n := len(d.Blocked) - MaxNamed; n > 0 {
		fmt.Fprintf(&b, "; and %d more", n)
	}
	if c := d.Cycle(); c != nil {
		fmt.Fprintf(&b, "; cycle: %s", c)
	}
	if len(d.Left) > 0 {
		fmt.Fprintf(&b, "; left over: %s", List(d.Left))
	}
	return b.String()
}

// Cycle returns ranks each of which waits only for the next.
func (d *Deadlock) Cycle() Cycle {
	on := map[int32]int32{}
	for _, w := range d.Blocked {
		if _, is := on[w.Rank]; !is {
			on[w.Rank] = w.For
		}
	}
	seen := map[int32]bool{}
	for _, w := range d.Blocked {
		var path Cycle
		for at := w.Rank; ; at = on[at] {
			if i := slices.Index(path, at); i >= 0 {
				return path[i:]
			}
			if _, is := on[at]; !is || seen[at] {
				break
			}
			seen[at] = true
			path = append(path, at)
		}
	}
	return nil
}

type Cycle []int32

// String returns "rank 0 for rank 1 for rank 0".
func (c Cycle) String() string {
	var b strings.Builder
	for i, r := range c {
		if i == MaxNamed && len(c) > MaxNamed+1 {
			fmt.Fprintf(&b, "%d more for ", len(c)-MaxNamed)
			break
		}
		fmt.Fprintf(&b, "rank %d for ", r)
	}
	fmt.Fprintf(&b, "rank %d", c[0])
	return b.String()
}

// Leftover is the error of a run that ended with messages that were not received, or receives without a message.
type Leftover struct{ Left []string }

// Error names some of them.
func (l *Leftover) Error() string { return "left over at the end: " + List(l.Left) }

func List(all []string) string {
	text := strings.Join(all[:min(MaxNamed, len(all))], "; ")
	if n := len(all) - MaxNamed; n > 0 {
		text += fmt.Sprintf("; and on %d more ranks", n)
	}
	return text
}
