package paths

import "spoor/traces/unit"

// Cost is a cost of a machine on which the time of a program depends.
type Cost int

// The costs. Each is a time in picoseconds.
const (
	Instruction Cost = iota // of an instruction
	Work                    // of a unit of the work of Computes, if that is not in instructions
	Send                    // o_s
	Receive                 // o_r
	Latency                 // L
	Gap                     // g
	Byte                    // G, of each byte of a message but the first
	costs
)

// Costs lists all costs in order.
var Costs = []Cost{Instruction, Work, Send, Receive, Latency, Gap, Byte}

var costNames = [costs]string{"instructions", "work", "sends", "receives", "latencies", "gaps", "bytes"}

// String returns the name of the column with the counts of c.
func (c Cost) String() string { return costNames[c] }

// Vector has a number for each cost: its picoseconds, or how often a path has it.
type Vector [costs]int64

// Time returns the time of a path with the counts v at whole costs.
func (v *Vector) Time(c Vector) (t unit.Picos) {
	for i, n := range v {
		t += unit.Picos(n * c[i])
	}
	return t
}

// Times returns the time of a path with the counts v at costs c in picoseconds, which may be fractions.
func (v *Vector) Times(c *[costs]float64) (t float64) {
	for i, n := range v {
		if n != 0 {
			t += float64(n) * c[i]
		}
	}
	return t
}

// floats returns v as costs for Times.
func (v *Vector) floats() (c [costs]float64) {
	for i, n := range v {
		c[i] = float64(n)
	}
	return c
}

// moment is a time in picoseconds, with the counts of the path that determines it.
type moment struct {
	at    int64
	count Vector
}

// add adds a number of a cost.
func (m *moment) add(c Cost, n int64, costs *Vector) {
	m.at += n * costs[c]
	m.count[c] += n
}

// await moves m to a later moment.
func (m *moment) await(other *moment) {
	if other.at > m.at {
		*m = *other
	}
}
