package main

import (
	"strings"
	"testing"
)

// Costs that are made of L = 500 ns, gamma = 5 ns/line, and overheads that rise by 0.1 ns a byte are taken apart again.
func TestNetwork(t *testing.T) {
	at := func(bytes, lines int) messageCost {
		send, receive := 300+0.1*float64(bytes), 400+0.1*float64(bytes)
		g := receive
		return messageCost{send + 5*float64(lines), receive + 5*float64(lines), 500 + g + 10*float64(lines)}
	}
	got := network([]messageCost{at(8, 1), at(256, 4), at(2048, 32), at(16384, 256)}, at(2048, 256))
	want := `[network]
model = "plogp"
L = "500 ns"
gamma = "5 ns/line"
[[network.size]]
bytes = "8 B"
o_s = "300.8 ns"
o_r = "400.8 ns"
g = "400.8 ns"
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if last := "bytes = \"16384 B\"\no_s = \"1938 ns\"\no_r = \"2038 ns\"\ng = \"2038 ns\"\n"; !strings.HasSuffix(got, last) {
		t.Errorf("got\n%s\nwant at the end\n%s", got, last)
	}
}

// A measurement on this host gives a whole section, whatever its numbers.
func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := write(&b, 1); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "[[network.size]]"); n != len(sizes) {
		t.Errorf("%d sizes, want %d:\n%s", n, len(sizes), b.String())
	}
	if err := write(&b, 0); err == nil {
		t.Error("no error for no runs")
	}
}
