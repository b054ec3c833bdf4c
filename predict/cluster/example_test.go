package cluster_test

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/predict/cluster"
)

// The published model needs nothing but three parameters and their line size.
func Example() {
	m, err := machine.Read("../../data/machine/du2000-smp-256k.toml")
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := param.Parse("prog.params.toml", []byte(`
[alpha]
value = 1.3
unit = "1"
[beta]
value = 90.0
unit = "lines"
[gamma]
value = 0.3
unit = "1"
[line]
value = 64.0
unit = "B"
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	run := &cluster.Run{Name: "prog.params.toml", Program: "prog", Processors: 1, Params: set}
	for n := 1; n <= 4; n *= 2 {
		p, err := cluster.Paper{}.Predict(&cluster.Case{Runs: []*cluster.Run{run}, Machine: m, Processors: n})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d: %v, of which %v contention; limit %s\n", n, p.EInstr, p.Split.Contention, p.Limit)
	}
	// Output:
	// 1: 30.2ns, of which 0s contention; limit latency
	// 2: 21.83ns, of which 7.672ns contention; limit bus
	// 4: 17.45ns, of which 10.54ns contention; limit bus
}
