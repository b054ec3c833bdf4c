package machine

import (
	"strings"
	"testing"
)

const simgridNetwork = "[network]\nmodel = \"switch\"\nsharing = \"max-min\"\nlatency = \"10 us\"\nbandwidth = \"1 GB/s\"\n[network.simgrid]\n"

// The section reads back as it was written, and its digest is another only if it is there.
func TestSimGridSection(t *testing.T) {
	const all = `backbone = "2 GB/s"
latency = "5 us"
switch = "1 us"
bw_factor = "1000:0.5;0:1"
lat_factor = "0:2"
os = "0:1us:1e-10; 65536:0:0:7"
ois = "0:2e-6:0"
or = "500:1e-6:2e-10"
async_small = "4 KiB"
`
	m, err := ParsePart("m.toml", []byte(simgridNetwork+all))
	if err != nil {
		t.Fatal(err)
	}
	s := m.Network.SimGrid
	if len(s.Bandwidths) != 2 || s.Bandwidths[1] != (SizePiece{1000, 0.5, 0}) || s.Sends[0] != (SizePiece{0, 1e-6, 1e-10}) || s.EarlyBelow != 4096 {
		t.Errorf("%+v", s)
	}
	again, err := ParsePart("again.toml", m.Network.Text())
	if err != nil || again.Digest() != m.Digest() {
		t.Errorf("%v\n%s", err, m.Network.Text())
	}
	without, err := ParsePart("without.toml", []byte(strings.TrimSuffix(simgridNetwork, "[network.simgrid]\n")))
	if err != nil || without.Digest() == m.Digest() {
		t.Errorf("%v: the section is not in the digest", err)
	}
}

func TestSimGridErrors(t *testing.T) {
	for _, row := range []struct{ keys, want string }{
		{"", "has no key"},
		{`bw_factor = "0:0"`, "less than 0.001"},
		{`bw_factor = "0"`, "has 1 numbers"},
		{`bw_factor = ""`, "is not SIZE:FACTOR"},
		{`lat_factor = "0:1;0:2"`, "twice"},
		{`lat_factor = "-1:1"`, "invalid syntax"},
		{`os = "0:1"`, "SIZE:SECONDS:SECONDS_PER_BYTE"},
		{`os = "0:nan:0"`, "is not from 0"},
		{`ois = "0:1e4:0"`, "is not from 0"},
		{`or = "0:x:0"`, "invalid syntax"},
		{`backbone = "0 B/s"`, "is not from"},
		{`async_small = "4"`, "unit"},
		{"lat_factor = \"0:1" + strings.Repeat(";0:1", 300) + "\"", "twice"},
	} {
		if _, err := ParsePart("m.toml", []byte(simgridNetwork+row.keys)); err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "network.simgrid") {
			t.Errorf("%s: %v", row.keys, err)
		}
	}
	if _, err := ParsePart("m.toml", []byte(strings.Replace(simgridNetwork, "switch", "torus", 1)+`backbone = "1 GB/s"`)); err == nil || !strings.Contains(err.Error(), "has no effect") {
		t.Error(err)
	}
}
