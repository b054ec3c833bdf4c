package network_test

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

func Example() {
	m, err := machine.Parse("mesh.toml", []byte(`
name = "mesh"
[processor]
clock = "33 MHz"
cpi = 1
[memory]
size = "64 MiB"
latency = "10 cycles"
[network]
model = "mesh"
bandwidth = "20 MB/s"
rows = 1
cols = 4
[system]
target = "logp"
processors = 1
nodes = 4
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := network.New(m, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range []struct {
		at unit.Picos
		m  network.Message
	}{
		{0, network.Message{From: 2, To: 3, Bytes: 32}},
		{100_000, network.Message{From: 0, To: 3, Bytes: 32}}, // holds two links while it waits for the third
		{200_000, network.Message{From: 0, To: 1, Bytes: 8}},
	} {
		d := n.Send(s.at, s.m)
		fmt.Printf("%d to %d: arrives at %v, after %v and waiting for %v\n", s.m.From, s.m.To, d.Arrive, d.Latency, d.Arrive-s.at-d.Latency)
	}
	fmt.Println("busiest:", n.Usage().Busiest().Name)
	// Output:
	// 2 to 3: arrives at 1.6us, after 1.6us and waiting for 0s
	// 0 to 3: arrives at 3.2us, after 1.6us and waiting for 1.5us
	// 0 to 1: arrives at 3.6us, after 400ns and waiting for 3us
	// busiest: node 0 to node 1
}
