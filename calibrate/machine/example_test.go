package machine_test

import (
	"fmt"

	"spoor/calibrate/machine"
)

func Example() {
	m, err := machine.Parse("small.toml", []byte(`
name = "small"
[processor]
clock = "200 MHz"
cpi = 1
[[cache]]
size = "256 KiB"
line = "64 B"
ways = 2
latency = "1 cycle"
[memory]
size = "64 MiB"
latency = "50 cycles"
[system]
target = "smp"
processors = 4
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Caches[0].Sets(), "sets;", m.At(m.Memory.Latency), "to memory")
	fmt.Println(m.Assumed[1])
	// Output:
	// 2048 sets; 250ns to memory
	// memory.invalidate not given: an address-only transaction takes the bus as long as a line transfer
}

func ExampleParse_mistake() {
	_, err := machine.Parse("small.toml", []byte("name = \"small\"\n[processor]\nclock = \"200\"\ncpi = 1\n[memory]\n[system]\n"))
	fmt.Println(err)
	// Output: small.toml:3: processor.clock: "200" has no unit; write for example "2.4GHz"
}
