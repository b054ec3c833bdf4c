// Delayed measures the costs of messages between two ranks of this host that compute between messages, as programs
// do. It measures o_s, o_r and g of PLogP by size, the latency L, and gamma, the cost of a cache line of a buffer.
//
//	$ go run ./tracegen/delayed -repeat 15
//
// It prints a [network] section for a machine description. Ping-pong tests measure lower costs than programs have:
// the receiver is always waiting, and shared data stays in the right cache.
//
// Here both ranks repeat four steps: send, compute for longer than a message needs to arrive, receive the message
// that has arrived, and compute. The times of sending and receiving are then o_s and o_r [culler1996, sec. 3].
// Without the computation between send and receive, as in programs that exchange borders, both together take L + g.
// gamma is the extra time of matrix columns, compared with as many bytes of a row, for each additional line
// [hur1999, sec. 3].
//
// Each value is the mean of a run, including other activity of the host, as in programs. The result is the least of
// several runs.
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
	messages   = 1000 // of a run
	delay      = 4 * time.Microsecond
	lineBytes  = 64 // bytes
	wordBytes  = 8
	matrixSide = 256 // of the matrix, in words: a column has as many bytes as a row
)

// sizes are the message sizes in bytes.
var sizes = []int{wordBytes, 256, matrixSide * wordBytes, 8 * matrixSide * wordBytes}

// messageCost holds times in nanoseconds: of sending, of receiving, and of both including the latency.
type messageCost struct{ send, receive, total float64 }

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
	rows := make([]messageCost, len(sizes))
	for i, bytes := range sizes {
		var err error
		if rows[i], err = measure(spmd.Vector{Count: 1, Block: bytes / wordBytes, Stride: bytes / wordBytes}, repeat); err != nil {
			return err
		}
	}
	column, err := measure(spmd.Vector{Count: matrixSide, Block: 1, Stride: matrixSide + 1}, repeat)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, network(rows, column))
	return err
}

// network returns the section for the costs of rows of sizes, and of a column of matrixSide words.
func network(rows []messageCost, column messageCost) string {
	row := rows[slices.Index(sizes, matrixSide*wordBytes)]
	gamma := max(0, (column.send+column.receive-row.send-row.receive)/2/(matrixSide-matrixSide*wordBytes/lineBytes))
	for i, bytes := range sizes { // rows, too, cost gamma for each line
		lines := gamma * math.Ceil(float64(bytes)/lineBytes)
		rows[i] = messageCost{max(0, rows[i].send-lines), max(0, rows[i].receive-lines), max(0, rows[i].total-2*lines)}
	}
	gap := max(rows[0].send, rows[0].receive)
	latency := max(0, rows[0].total-gap)
	s := fmt.Sprintf("[network]\nmodel = \"plogp\"\nL = \"%.4g ns\"\ngamma = \"%.4g ns/line\"\n", latency, gamma)
	for i, c := range rows {
		s += fmt.Sprintf("[[network.size]]\nbytes = \"%d B\"\no_s = \"%.4g ns\"\no_r = \"%.4g ns\"\ng = \"%.4g ns\"\n",
			sizes[i], c.send, c.receive, max(c.total-latency, c.send, c.receive))
	}
	return s
}

// measure returns the least costs of several runs.
func measure(v spmd.Vector, repeat int) (messageCost, error) {
	least := messageCost{math.Inf(1), math.Inf(1), math.Inf(1)}
	for range repeat {
		var apart, together [2][]float64
		if err := exchange(v, delay, &apart); err != nil {
			return least, err
		}
		if err := exchange(v, 0, &together); err != nil {
			return least, err
		}
		least.send, least.receive = min(least.send, mean(apart[0])), min(least.receive, mean(apart[1]))
		least.total = min(least.total, mean(together[0])+mean(together[1]))
	}
	return least, nil
}

// exchange measures the time of each send and each receive of rank 0. Both ranks send, compute for between, receive
// and compute.
func exchange(v spmd.Vector, between time.Duration, times *[2][]float64) error {
	clock := clockCost()
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

// compute computes for the given time with the received data and the data to be sent.
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

// clockCost returns the time of reading the clock, in nanoseconds.
func clockCost() float64 {
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
