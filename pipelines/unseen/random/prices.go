package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// writePrices writes a random price list: two kinds of nodes, and two networks.
func writePrices(path string, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 41))
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("name = \"random-%d\"\n[catalogue]\ndate = \"2026-11\"\nlifetime = \"26280 h\"", seed)
	node(r, line, "single", "[1]")
	node(r, line, "shared", "[2, 4]")
	network(r, line, "slow", r.IntN(3))
	network(r, line, "fast", 3+r.IntN(3))
	return os.WriteFile(path, []byte(b.String()), 0o666)
}

// node draws a kind of nodes.
func node(r *rand.Rand, line func(string, ...any), name, processors string) {
	line("[[node]]\nname = %q\nprice = \"$%d\"\nprocessor_price = \"$%d\"\nprocessors = %s", name, 500+100*r.IntN(30), 100+50*r.IntN(10), processors)
	line("[node.processor]\nclock = \"%d MHz\"\ncpi = %v", 500*(1+r.IntN(8)), []float64{0.25, 0.5, 1}[r.IntN(3)])
	if r.IntN(2) == 0 {
		line("outstanding = %d\nwindow = %d", 4<<r.IntN(3), 64<<r.IntN(4))
	}
	size := 64 << r.IntN(4)
	line("[[node.cache]]\nsize = \"16 KiB\"\nline = \"64 B\"\nways = 4\nlatency = \"0 cycles\"")
	line("[node.last_cache]\nsizes = [\"%d KiB\", \"%d KiB\"]\nprices = [\"$0\", \"$%d\"]\nline = \"64 B\"\nways = 8\nlatency = \"%d cycles\"", size, 4*size, 50+50*r.IntN(8), 8+r.IntN(12))
	line("[node.memory]\nsizes = [\"1 GiB\"]\nprices = [\"$100\"]\nlatency = \"%d ns\"\noccupancy = \"%d ns\"\ninvalidate = \"%d ns\"\nplacement = %q",
		60+10*r.IntN(10), 1+r.IntN(20), 10+r.IntN(30), []string{"interleaved", "first-touch"}[r.IntN(2)])
}

// network draws a network. Speed is from 0 to 5.
func network(r *rand.Rand, line func(string, ...any), name string, speed int) {
	bandwidth := []string{"100 Mb/s", "155 Mb/s", "1 Gb/s", "10 Gb/s", "25 Gb/s", "100 Gb/s"}[speed]
	model := "switch"
	if speed < 3 && r.IntN(2) == 0 {
		model = "bus"
	}
	line("[[network]]\nname = %q\nprice = \"$%d\"\nbase = \"$%d\"", name, 20+30*speed*(1+r.IntN(4)), 100*(1+speed)*(1+r.IntN(4)))
	line("[network.link]\nmodel = %q\nbandwidth = %q\nheader = \"64 B\"\nlatency = \"%d ns\"", model, bandwidth, 500*(1+r.IntN(20)))
}
