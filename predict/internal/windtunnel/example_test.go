package windtunnel_test

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/predict/internal/windtunnel"
)

// A program of 32 targets on hosts that switch between them in 100 cycles.
func Example() {
	set, err := param.Parse("prog.params.toml", []byte(`
targets = { value = 32.0, unit = "processors" }
mu = { value = 75.0, unit = "cycles" }
sigma_intra = { value = 30.0, unit = "cycles" }
n_cxsw = { value = 25.0, unit = "processors" }
n_fp = { value = 25.0, unit = "processors" }
quantum = { value = 100.0, unit = "cycles" }
slowest = { value = 100.0, unit = "cycles" }
t_cxsw = { value = 100.0, unit = "cycles" }
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := windtunnel.New(set)
	if err != nil {
		fmt.Println(err)
		return
	}
	prices, err := machine.ReadPrices("../../../data/price/sgi1993.toml")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := windtunnel.Predict(windtunnel.Case{Run: run, Model: run.Parameters.Best(), Prices: prices})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, pt := range p.Points {
		o := pt.Offers[0]
		fmt.Printf("%2d hosts: speedup %.1f, %s costs %.1f times as much; limit %s\n", pt.Hosts, pt.Speedup, o.Host, o.Costup, pt.Time.Limit())
	}
	// Output:
	//  1 hosts: speedup 1.0, uni costs 1.0 times as much; limit switch
	//  2 hosts: speedup 1.9, bus costs 1.7 times as much; limit switch
	//  4 hosts: speedup 3.5, bus costs 2.1 times as much; limit switch
	//  8 hosts: speedup 6.4, bus costs 2.7 times as much; limit switch
	// 16 hosts: speedup 12.3, bus costs 4.0 times as much; limit switch
	// 32 hosts: speedup 24.5, bus costs 6.5 times as much; limit switch
}
