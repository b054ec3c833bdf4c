package machine

import (
	"strings"
	"testing"
)

const pramText = `name = "p"
[processor]
clock = "33 MHz"
cpi = 1
[memory]
size = "1 GiB"
latency = "1 cycle"
[system]
target = "pram"
processors = 4
`

// A PRAM refuses what has no effect on it.
func TestPRAM(t *testing.T) {
	m, err := Parse("p.toml", []byte(pramText))
	if err != nil || m.Count() != 4 || len(m.Assumed) > 0 {
		t.Fatal(err, m)
	}
	for _, c := range [][3]string{
		{"processors = 4", "processors = 4\nnodes = 2", "system.nodes"},
		{"processors = 4", "processors = 4\nprotocol = \"msi\"", "system.protocol"},
		{"latency = \"1 cycle\"", "latency = \"1 cycle\"\noccupancy = \"1 cycle\"", "memory.occupancy"},
		{"latency = \"1 cycle\"", "latency = \"1 cycle\"\npage = \"4 KiB\"", "memory.page"},
		{"[system]", "[network]\nmodel = \"ideal\"\n[system]", "network"},
		{"cpi = 1", "cpi = 1\noutstanding = 2\nwindow = 3", "processor.outstanding"},
		{"[memory]", "[[cache]]\nsize = \"1 KiB\"\nline = \"32 B\"\nways = 1\nlatency = \"1 cycle\"\n[memory]", "cache[0]"},
	} {
		_, err := Parse("p.toml", []byte(strings.Replace(pramText, c[0], c[1], 1)))
		if err == nil || !strings.Contains(err.Error(), c[2]+": has no effect for target pram") {
			t.Errorf("%s: error %v", c[2], err)
		}
	}
}

// Ideal takes the unit from the nearest cache.
func TestIdeal(t *testing.T) {
	m, err := Read("../../data/machine/spasm-mesh.toml")
	if err != nil {
		t.Fatal(err)
	}
	ideal := m.Ideal()
	if ideal.System.Target != PRAM || ideal.Count() != 32 || ideal.At(ideal.Memory.Latency) != m.At(m.Caches[0].Latency) || len(m.Caches) != 1 {
		t.Errorf("%+v", ideal)
	}
}
