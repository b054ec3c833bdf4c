package network_test

import (
	"fmt"
	"log"

	"spoor/calibrate/machine"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// linksOf is a machine of links of 1 GB/s.
func linksOf(model, sharing string) *machine.Machine {
	m, err := machine.Parse(model, []byte(`
name = "`+model+`"
[processor]
clock = "1 GHz"
cpi = 1
[memory]
size = "64 MiB"
latency = "10 cycles"
[network]
model = "`+model+`"
bandwidth = "1 GB/s"
`+sharing+`
[system]
target = "logp"
processors = 1
nodes = 16
`))
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// exclusive is when messages that are sent at once arrive over links that have one at a time.
func exclusive(model string, all []network.Message) (arrive []unit.Picos) {
	n, err := network.New(linksOf(model, ""), 16)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range all {
		arrive = append(arrive, n.Send(0, m).Arrive)
	}
	return arrive
}

// sharing is the same over links that messages share.
func sharing(keys, model string, all []network.Message) []unit.Picos {
	n, err := network.NewSharedLinks(linksOf(model, keys), 16)
	if err != nil {
		log.Fatal(err)
	}
	for i, m := range all {
		n.Send(0, m, network.Order{Minor: uint32(i), Tag: int32(i)})
	}
	arrive := make([]unit.Picos, len(all))
	for n.Next() < network.Never {
		for _, e := range n.Step() {
			arrive[e.Tag] = max(arrive[e.Tag], e.Arrive)
		}
	}
	return arrive
}

// What the three ways to have links make of messages of 8000 bytes that 16 nodes send at once: when they arrive, on average and the last. Fair
// sharing has nobody wait for links that others hold and do not use, so that the last is there sooner where ways cross;
// where all go through one link, it has all come at the end, and taking turns is better on average. Packets of 1000 bytes are near to fair, where
// nobody who waits is in the way of somebody who would not have to.
func Example_sharing() {
	shift := func(by int) (all []network.Message) {
		for n := range 16 {
			all = append(all, network.Message{From: n, To: (n + by) % 16, Bytes: 8000})
		}
		return all
	}
	var incast, exchange []network.Message
	for n := range 16 {
		if n > 0 {
			incast = append(incast, network.Message{From: n, To: 0, Bytes: 8000})
		}
		for to := range 16 {
			if to != n {
				exchange = append(exchange, network.Message{From: n, To: to, Bytes: 8000})
			}
		}
	}
	parking := []network.Message{{From: 0, To: 2, Bytes: 8000}, {From: 0, To: 1, Bytes: 8000}, {From: 1, To: 2, Bytes: 8000}}
	fmt.Println("microseconds                exclusive       packets        max-min")
	fmt.Println("case          network      mean    last   mean    last   mean    last")
	for _, c := range []struct {
		name, model string
		all         []network.Message
	}{{"two at once", "bus", shift(1)[:2]}, {"parking lot", "mesh", parking}, {"incast", "switch", incast}, {"incast", "torus", incast},
		{"shift by 5", "torus", shift(5)}, {"shift by 7", "fattree", shift(7)}, {"all to all", "full", exchange}, {"all to all", "torus", exchange}} {
		fmt.Printf("%-13s %-9s", c.name, c.model)
		for _, arrive := range [][]unit.Picos{exclusive(c.model, c.all), sharing("sharing = \"packets\"\npacket = \"1000 B\"", c.model, c.all), sharing("sharing = \"max-min\"", c.model, c.all)} {
			sum, last := unit.Picos(0), unit.Picos(0)
			for _, t := range arrive {
				sum, last = sum+t, max(last, t)
			}
			fmt.Printf(" %7.1f %7.1f", float64(sum)/float64(len(arrive))/1e6, float64(last)/1e6)
		}
		fmt.Println()
	}
	// Output:
	// microseconds                exclusive       packets        max-min
	// case          network      mean    last   mean    last   mean    last
	// two at once   bus          12.0    16.0    15.5    16.0    16.0    16.0
	// parking lot   mesh         13.3    16.0    15.7    16.0    16.0    16.0
	// incast        switch       64.0   120.0   113.0   120.0   120.0   120.0
	// incast        torus        26.7    64.0    33.9    64.0    45.3    64.0
	// shift by 5    torus         9.0    16.0    10.0    16.0    10.0    16.0
	// shift by 7    fattree       8.0     8.0     8.0     8.0     8.0     8.0
	// all to all    full          8.0     8.0     8.0     8.0     8.0     8.0
	// all to all    torus        53.3   144.0    71.5    97.0    80.6    96.0
}
