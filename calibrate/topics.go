package main

import (
	"fmt"
	"strings"

	"spoor/calibrate/fit/marshalling"
	"spoor/calibrate/fit/timing"
	"spoor/calibrate/internal/transport"
	"spoor/traces/stage"
)

// topics returns the pages of `calibrate help NAME`.
func topics() []stage.Topics {
	return []stage.Topics{
		{Title: "Models", Pages: []stage.Topic{
			{Name: "loggp", Short: "LogGP: L, o_s, o_r, g, G and S of a network", Text: loggpText, Example: "  $ calibrate fit data/sample/osu.txt -o cluster"},
			{Name: "plogp", Short: "PLogP: o_s, o_r and g by message size", Text: plogpText, Example: "  $ calibrate fit data/sample/osu.txt -o cluster"},
			{Name: "transfer", Short: "S1 to S3, M1 to M3, M1x, page, level: packed messages", Text: transferText(),
				Example: "  $ calibrate fit data/sample/transfers.csv --state far -o far"},
		}},
		{Title: "Files and terms", Pages: []stage.Topic{
			{Name: "formats", Short: "timing files that calibrate fit reads", Text: formatsText(), Example: "  $ calibrate fit data/sample/osu.txt -o cluster"},
			{Name: "columns", Short: "columns of Spoor's own timing tables", Text: timing.Schema, Example: "  $ calibrate fit data/sample/transfers.csv -o host"},
			{Name: "intervals", Short: "what the 95 % intervals mean, and how errors are printed", Text: intervalsText,
				Example: "  $ calibrate fit data/sample/transfers.csv -o host\n  $ calibrate show host.params.toml"},
			{Name: "noise", Short: "when a measurement is refused, and what to do", Text: noiseText, Example: "  $ calibrate memory --quick -o host"},
			{Name: "transports", Short: "the transports that calibrate transport measures", Text: transportsText(),
				Example: "  $ calibrate transport --quick --transports ring,unix -o host"},
		}},
	}
}

const loggpText = `LogGP [alexandrov1995] models a message by constants:

    L         latency of the network
    o_s, o_r  time that the sender and the receiver are busy with a message
    g         gap between messages of one byte; g_1, g_2, ... by class of sizes
    G         time of each further byte; G_1, G_2, ... by class of sizes
    S         largest message that does not wait for its receiver

PRTT(n,d,s) is the time of n messages of s bytes, sent with pauses of d, and one of s bytes back:

    PRTT(1,0,s) = 2 (o_s + L + o_r + (s-1) G)
    PRTT(n,0,s) = PRTT(1,0,s) + (n-1) max(g + (s-1) G, o_s)
    PRTT(n,d,s) = PRTT(1,0,s) + (n-1) (o_s + d)     if d is longer than a gap

Delayed bursts give o_s. The slope of bursts over sizes gives g and G [hoefler2007]. A late receive gives o_r, and
the rest of half a round trip is L [culler1996]. L can be negative if the program's part of sending overlaps
the network's; half a round trip is the better number then.

LogGP duplex has one more parameter, duplex: the time of an exchange, in which both sides send at once.
Limitation: no parameter of messages in one direction predicts an exchange on every transport.`

const plogpText = `PLogP [kielmann2000] has o_s, o_r and g in tables by message size, and L = PRTT(1,0,s)/2 - g(s) at the least s.
It needs ping-pongs and bursts of several sizes. 'calibrate fit' writes PREFIX.plogp.arrow, the tables, and
PREFIX.network.toml, the section [network] of a machine file. Append it to a machine that has none:

    cat host.machine.toml host.ring.network.toml > ring.toml

PLogP duplex has one more table, duplex: the time of an exchange, in which both sides send at once.`

// transferText returns the page about models of packed messages, with the equation of each.
func transferText() string {
	var b strings.Builder
	b.WriteString("These models give the time t of a block that is packed, sent, received and unpacked [hur1999]:\n\n")
	for _, m := range marshalling.All {
		fmt.Fprintf(&b, "    %-6s %s\n", m.Name, m.Equation())
	}
	b.WriteString(`
    n          bytes of the message; of array statements, loads and stores
    MLT        memory lines touched when the block is packed, from the paper's bounds
    MLT_exact  the same from the block's address
    pages      memory pages touched
    runs       pieces that are copied one by one: rows of the block
    beyond     bytes touched beyond the capacity C, which fit chooses

S1 to S3 use n alone. M1 to M3 are the paper's models with memory lines. M1x, page and level are Spoor's own.
A term delta ops is added if the number of arithmetic operations varies.

Each model is fitted twice: by least squares, in which large messages decide, and by non-negative least squares of
relative errors.`)
	return b.String()
}

// formatsText returns the page about timing files.
func formatsText() string {
	return "Calibrate fit recognizes these formats by content:\n\n" + timing.Formats() +
		"\nSeveral files of a foreign format are several launches of the program. 'calibrate help columns' explains\n" +
		"Spoor's own table."
}

// transportsText returns the page that lists all transports.
func transportsText() string {
	var b strings.Builder
	b.WriteString("Calibrate transport sends messages between two processors of this host, over:\n\n")
	for _, t := range transport.All {
		fmt.Fprintf(&b, "    %-8s %s\n", t.Name, t.What)
	}
	b.WriteString("\nFor each it times ping-pongs, bursts, delayed bursts, late receives, sends to late receivers and exchanges.\n" +
		"Sizes are 1 B to 64 KiB, and more around each size at which the protocol changes.")
	return b.String()
}

const intervalsText = `Every parameter has a 95 % interval, lo to hi: another run of the same measurements finds the parameter inside in
95 of 100 cases. Intervals are bootstrapped over points and launches of the program. They do not include the error
of the model. 'calibrate compare' tests this with a second run.

Models are judged by points that they were not fitted to: points with set = test, or by cross-validation. The
table has:

    noise        least error_ratio that any model can reach: the noise of repeated measurements
    error_ratio  SSE/SST: squared errors over the variance of times; 0 is perfect, 1 is as good as the mean
    gain         error_ratio of S1 over that of the model: a ratio of squared errors, so 9 is 3 times less RMS error
    s_e, ms_e    standard error and mean squared error, in s and s^2
    median, p90  relative errors, in %`

const noiseText = `A busy host is refused: the error says "too noisy", with the numbers, and no parameters are written. It happens if

    more than --max-stolen of the time goes to other processes or virtual machines,
    launches of the program disagree: the noise of split halves is above 0.002 of the variance, or
    the distance between two processors changes during the measurement.

Samples are kept: 'calibrate fit FILE' and --from read them again. --quick measures anyway, for a first look;
its numbers have no intervals and are not reliable.

What to do: stop other programs, or give the measurement priority over them:

    sudo setsid --wait sh -c 'echo -19 > /proc/self/autogroup; exec calibrate all -o host'

On virtual machines a round trip of a byte can jump between states. Samples are divided into states s1, s2, ..., never
pooled, and names of parameters end in -STATE.`
