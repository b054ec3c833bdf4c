package machine

import (
	"fmt"
	"strings"
	"testing"
)

const digested = `name = "a"
[processor]
clock = "1 GHz"
cpi = 1
[[cache]]
size = "16 KiB"
line = "64 B"
ways = 2
latency = "1 cycle"
[memory]
size = "64 MiB"
latency = "50 cycles"
occupancy = "50 cycles"
invalidate = "10 cycles"
[system]
target = "cow"
processors = 1
nodes = 2
[network]
model = "bus"
bandwidth = "1 Gb/s"
[[node]]
name = "n"
`

// The digest depends on all that results depend on, and on nothing else.
func TestDigest(t *testing.T) {
	of := func(replace ...string) string {
		t.Helper()
		m, err := Parse("m.toml", []byte(strings.NewReplacer(replace...).Replace(digested)))
		if err != nil {
			t.Fatal(err)
		}
		return m.Digest()
	}
	want := of()
	if want != "1859cb261923cf38c1f65e660001f6fc7a50a0c362e995afb760bc08b8002c30" {
		t.Errorf("the digest of a description has become %s: tables of before are no longer comparable", want)
	}
	placed, err := Parse("m.toml", []byte(digested))
	if err != nil {
		t.Fatal(err)
	}
	if placed.Placed = []int{1, 0}; placed.Digest() != want {
		t.Error("the nodes of ranks change the digest")
	}
	for _, same := range [][]string{{`"a"`, `"b"`}, {"cpi = 1", "cpi = 1.0 # comment"}, {`"1 GHz"`, `"1000 MHz"`}, {`"n"`, `"o"`}} {
		t.Run(fmt.Sprint(same), func(t *testing.T) {
			if of(same...) != want {
				t.Errorf("%q changes the digest", same)
			}
		})
	}
	for _, other := range [][]string{{"cpi = 1", "cpi = 2"}, {`"1 GHz"`, `"2 GHz"`}, {`"16 KiB"`, `"32 KiB"`}, {`"50 cycles"`, `"51 cycles"`}, {`"1 Gb/s"`, `"2 Gb/s"`},
		{"nodes = 2", "nodes = 3"}, {`"bus"`, "\"torus\"\ndims = [2]"}, {`"bus"`, "\"torus\"\ndims = [1, 2]"}, {`"bus"`, "\"bus\"\nrails = 2"}, {`name = "n"`, "name = \"n\"\n[node.processor]\nclock = \"2 GHz\"\ncpi = 1"}} {
		t.Run(fmt.Sprint(other), func(t *testing.T) {
			if of(other...) == want {
				t.Errorf("%q does not change the digest", other)
			}
		})
	}
}
