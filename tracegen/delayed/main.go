// Delayed measures what messages cost two ranks of this host that compute between them, as programs do: o_s, o_r and g of
// PLogP by size, L, and gamma, the cost of a line of a buffer.
//
//	$ go run ./tracegen/delayed -repeat 15
//
// It prints a [network] section for a description of a machine. Ranks that send to and fro and do nothing else have their
// messages cheaper than programs have: the receiver is always there, and all that both touch stays where it is needed.
// So here both ranks send, compute for longer than a message is on its way, receive what is there, and compute
// again: what sending and receiving take then are o_s and o_r [culler1996, sec. 3]. When they receive at once, as programs
// do that exchange borders, it takes L + g in all. gamma is how much longer columns of a matrix take than as many bytes
// of a row, over the lines that they touch more [hur1999, sec. 3].
//
// Each is the mean of a run, with what the host does besides, as it does in programs too; and of several runs the least.
//
//   - [culler1996] David Culler, Lok Tin Liu, Richard Martin, Chad Yoshikawa: Assessing fast network interfaces. IEEE Micro
//     16(1), 1996.
//   - [hur1999] see package kernel.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"spoor/tracegen/spmd"
)

const (
	messages = 1000 // of a run
	delay    = 4 * time.Microsecond
	line     = 64 // bytes
	word     = 8
	side     = 256 // of the matrix, in words: a column has as many bytes as a row
)

// sizes are bytes of rows.
var sizes = []int{word, 256, side * word, 8 * side * word}

// cost is what a message takes, in nanoseconds: to send and to receive it, and both with the way between them.
type cost struct{ send, receive, all float64 }

func main() {
	repeat := flag.Int("repeat", 15, "runs of each experiment, of which the fastest counts")
	flag.Parse()
	if err := write(os.Stdout, *repeat); err != nil {
		fmt.Fprintln(os.Stderr, "delayed:", err)
		os.Exit(1)
	}
}

func write(w io.Writer, repeat int) error {
	if repeat < 1 {
		return fmt.Errorf("-repeat %d: at least one run is needed", repeat)
	}
	rows := make([]cost, len(sizes))
	for i, bytes := range sizes {
		var err error
		if rows[i], err = measure(spmd.Vector{Count: 1, Block: bytes / word, Stride: bytes / word}, repeat); err != nil {
			return err
		}
	}
	column, err := measure(spmd.Vector{Count: side, Block: 1, Stride: side + 1}, repeat)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, network(rows, column))
	return err
}

// network is the section, by the costs of rows of sizes, and of a column of side words.
func network(rows []cost, column cost) string {
	row := rows[slices.Index(sizes, side*word)]
	gamma := max(0, (column.send+column.receive-row.send-row.receive)/2/(side-side*word/line))
	for i, bytes := range sizes { // gamma is paid for their lines, too
		lines := gamma * math.Ceil(float64(bytes)/line)
		rows[i] = cost{max(0, rows[i].send-lines), max(0, rows[i].receive-lines), max(0, rows[i].all-2*lines)}
	}
	gap := max(rows[0].send, rows[0].receive)
	latency := max(0, rows[0].all-gap)
	s := fmt.Sprintf("[network]\nmodel = \"plogp\"\nL = \"%.4g ns\"\ngamma = \"%.4g ns/line\"\n", latency, gamma)
	for i, c := range rows {
		s += fmt.Sprintf("[[network.size]]\nbytes = \"%d B\"\no_s = \"%.4g ns\"\no_r = \"%.4g ns\"\ng = \"%.4g ns\"\n",
			sizes[i], c.send, c.receive, max(c.all-latency, c.send, c.receive))
	}
	return s
}

// measure is the least of several runs.
func measure(v spmd.Vector, repeat int) (cost, error) {
	least := cost{math.Inf(1), math.Inf(1), math.Inf(1)}
	for range repeat {
		var apart, together [2][]float64
		if err := exchange(v, delay, &apart); err != nil {
			return least, err
		}
		if err := exchange(v, 0, &together); err != nil {
			return least, err
		}
		least.send, least.receive = min(least.send, mean(apart[0])), min(least.receive, mean(apart[1]))
		least.all = min(least.all, mean(together[0])+mean(together[1]))
	}
	return least, nil
}

// exchange is what rank 0 takes for each send and each receive, if both ranks send, compute for between, receive, and compute.
func exchange(v spmd.Vector, between time.Duration, times *[2][]float64) error {
	clock := ticks()
	_, err := spmd.Timed(context.Background(), 2, func(r *spmd.Rank) error {
		other, start := 1-r.ID(), time.Now()
		out, in := make([]float64, v.Count*v.Stride), make([]float64, v.Count*v.Stride)
		for range messages {
			a := time.Since(start)
			spmd.SendVector(r, other, 0, out, v)
			b := time.Since(start)
			compute(start, between, out, in)
			c := time.Since(start)
			spmd.RecvVector(r, other, 0, in, v)
			d := time.Since(start)
			compute(start, delay, out, in)
			if r.ID() == 0 {
				times[0], times[1] = append(times[0], float64(b-a)-clock), append(times[1], float64(d-c)-clock)
			}
		}
		return nil
	})
	return err
}

// compute is busy for a time, with what came and what is to be sent.
func compute(start time.Time, d time.Duration, out, in []float64) {
	if d == 0 {
		return
	}
	for i, end := 0, time.Since(start)+d; time.Since(start) < end; {
		for range 64 { // many for each reading of the clock
			i = (i + 1) % len(out)
			out[i] += in[i]
		}
	}
}

// ticks is what reading the clock takes.
func ticks() float64 {
	const n = 1000
	start := time.Now()
	for range n {
		time.Since(start)
	}
	return float64(time.Since(start)) / n
}

func mean(times []float64) float64 {
	sum := 0.0
	for _, t := range times {
		sum += t
	}
	return sum / float64(len(times))
}
