package machine

import (
	"reflect"
	"strings"
	"testing"

	"spoor/analyze/comm"
	"spoor/traces/unit"
)

// networked is the description with other keys in its network.
func networked(keys string) string {
	begin := strings.Index(good, "[network]\n") + len("[network]\n")
	end := strings.Index(good, "[system]")
	return good[:begin] + keys + good[end:]
}

func TestLinkedNetworks(t *testing.T) {
	m, err := Parse("m.toml", []byte(networked(`model = "mesh"
bandwidth = "155 Mb/s"
efficiency = "48/53"
header = "25 B"
latency = "75 cycles"
switch = "10 ns"
sharing = "max-min"
rows = 1
cols = 2
`)))
	if err != nil {
		t.Fatal(err)
	}
	want := Network{Model: "mesh", Fixed: Optional[Latency]{inCycles(75), true}, Bandwidth: Optional[unit.BytesPerSecond]{155e6 / 8, true},
		Efficiency: 48. / 53, Header: 25, Switch: InSeconds(10e-9), Sharing: ShareMaxMin, Shape: comm.Shape{Rows: 1, Cols: 2}}
	if !reflect.DeepEqual(*m.Network, want) {
		t.Errorf("got %+v, want %+v", *m.Network, want)
	}
	for _, model := range networks {
		if model == "plogp" { // whose g is by size
			continue
		}
		keys := "L = \"1 us\"\no = \"1 us\"\ng = \"1 us\"\nG = \"1 ns/B\"\nS = \"0 B\"\n"
		m, err := Parse("m.toml", []byte(networked("model = \""+model+"\"\n"+keys)))
		if err != nil {
			t.Errorf("%s with the keys of LogGPS: %v", model, err)
		} else if n := m.Network; n.Efficiency != 1 || n.Fixed.Known || n.Bandwidth.Known || n.GapFrom != "" {
			t.Errorf("%s: got %+v", model, n)
		}
	}
	if m, err = Parse("m.toml", []byte(networked("model = \"fattree\"\narity = 8\nefficiency = 0.9\n"))); err != nil || m.Network.Arity != 8 || m.Network.Efficiency != 0.9 {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestGaps(t *testing.T) {
	for _, c := range []struct {
		keys, from, spacing, topology string
		gap                           unit.Seconds
	}{
		{`g = "3.2 us"`, "", SpaceAny, "", 3.2e-6},
		{"g = \"3.2 us\"\nspacing = \"same-kind\"", "", SpaceSameKind, "", 3.2e-6},
		{"gap = \"bisection\"\ntopology = \"hypercube\"", GapBisection, SpaceAny, "hypercube", 0},
		{"gap = \"traffic\"\ntopology = \"torus\"\nspacing = \"same-kind\"\nrows = 2\ncols = 8", GapTraffic, SpaceSameKind, "torus", 0},
	} {
		t.Run(c.keys, func(t *testing.T) {
			m, err := Parse("m.toml", []byte(networked("model = \"logp\"\nL = \"1.6 us\"\n"+c.keys+"\n")))
			if err != nil {
				t.Errorf("%v", err)
				return
			}
			if n := m.Network; n.GapFrom != c.from || n.Spacing != c.spacing || n.Topology != c.topology || n.Gap.Value != c.gap {
				t.Errorf("got %+v", n)
			}
		})
	}
}

// The keys of PLogP that are not by size.
const (
	plogp = "model = \"plogp\"\nL = \"1 us\"\n"
	sized = "o = \"1 us\"\n"
)

func TestBadNetworks(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"model = \"bus\"\nbandwidth = \"20\"", "m.toml:24: network.bandwidth: "},
		{"model = \"bus\"\nbandwidth = 20", "m.toml:24: network.bandwidth: "},
		{"model = \"bus\"\nbandwidth = \"0 B/s\"", "m.toml:24: network.bandwidth: "},
		{"model = \"bus\"\nbandwidth = \"-1 MB/s\"", "m.toml:24: network.bandwidth: "},
		{"model = \"bus\"\nbandwidth = \"1e7 GB/s\"", "m.toml:24: network.bandwidth: "},
		{"model = \"bus\"\nbandwith = \"20 MB/s\"", "m.toml:24: unknown key network.bandwith"},
		{"model = \"mesh\"\nports = \"both\"", "m.toml:24: network.ports: has no effect for \"mesh\"; it is for loggp"},
		{"model = \"bus\"\no_s = \"5\"", "m.toml:24: network.o_s: "},
		{"model = \"bus\"\no_r = \"-1 us\"", "m.toml:24: network.o_r: "},
		{"model = \"bus\"\ngamma = \"60 ns/B\"", "m.toml:24: network.gamma: \"60 ns/B\" is not a time such as \"60 ns/line\""},
		{"model = \"bus\"\ninterrupt = \"5\"", "m.toml:24: network.interrupt: \"5\" has no unit"},
		{"model = \"bus\"\ninterrupt = \"-1 us\"", "m.toml:24: network.interrupt: -1us is not from 0 to 10s"},
		{"model = \"bus\"\nbuffer_copy = \"2 ns\"", "m.toml:24: network.buffer_copy: \"2 ns\" is not a time such as \"0.2 ns/B\""},
		{"model = \"bus\"\ngamma = \"2 s/line\"", "m.toml:24: network.gamma: \"2 s/line\" is not from 0 to 1s/line"},
		{"model = \"bus\"\nefficiency = \"53/48\"", "m.toml:24: network.efficiency: \"53/48\" is not from 0.001 to 1"},
		{"model = \"bus\"\nefficiency = \"48/0\"", "m.toml:24: network.efficiency: "},
		{"model = \"bus\"\nefficiency = \"0/0\"", "m.toml:24: network.efficiency: "},
		{"model = \"bus\"\nefficiency = \"most\"", "m.toml:24: network.efficiency: "},
		{"model = \"bus\"\nefficiency = \"48/\"", "m.toml:24: network.efficiency: "},
		{"model = \"bus\"\nefficiency = nan", "m.toml:24: network.efficiency: "},
		{"model = \"bus\"\nheader = \"25\"", "m.toml:24: network.header: "},
		{"model = \"bus\"\nheader = \"1 GiB\"", "m.toml:24: network.header: "},
		{"model = \"bus\"\nlatency = \"11 s\"", "m.toml:24: network.latency: "},
		{"model = \"bus\"\nlatency = \"-1 ns\"", "m.toml:24: network.latency: "},
		{"model = \"bus\"\nswitch = \"1 ns\"", "m.toml:24: network.switch: has no effect for \"bus\""},
		{"model = \"full\"\nrows = 2\ncols = 1", "m.toml:24: network.rows: has no effect for \"full\""},
		{"model = \"mesh\"\nrows = 2", "m.toml:22: network.cols: is missing"},
		{"model = \"mesh\"\nrows = 0\ncols = 2", "m.toml:24: network.rows: "},
		{"model = \"mesh\"\nrows = 70000\ncols = 2", "m.toml:24: network.rows: "},
		{"model = \"mesh\"\narity = 2", "m.toml:24: network.arity: has no effect"},
		{"model = \"fattree\"\narity = 1", "m.toml:24: network.arity: "},
		{"model = \"mesh\"\ngap = \"traffic\"", "m.toml:24: network.gap: has no effect for \"mesh\"; it is for logp"},
		{"model = \"mesh\"\nspacing = \"any\"", "m.toml:24: network.spacing: has no effect"},
		{"model = \"mesh\"\ntopology = \"mesh\"", "m.toml:24: network.topology: has no effect"},
		{"model = \"logp\"\ng = \"1 us\"", "m.toml:22: network.L: is missing; the logp network needs it"},
		{"model = \"logp\"\nL = \"1 us\"", "m.toml:22: network.g: is missing; the logp network needs it"},
		{"model = \"logp\"\nL = \"1 us\"\nbandwidth = \"1 MB/s\"", "m.toml:25: network.bandwidth: has no effect for \"logp\""},
		{"model = \"logp\"\nL = \"1 us\"\ngap = \"same-kind\"", "m.toml:25: network.gap: "},
		{"model = \"logp\"\nL = \"1 us\"\ngap = \"bisection\"", "m.toml:22: network.topology: is missing; the bisection gap needs a topology"},
		{"model = \"logp\"\nL = \"1 us\"\ng = \"1 us\"\ngap = \"bisection\"\ntopology = \"full\"", "m.toml:26: network.gap: \"bisection\" is a second gap"},
		{"model = \"logp\"\nL = \"1 us\"\ng = \"1 us\"\ntopology = \"full\"", "m.toml:26: network.topology: has no effect without network.gap"},
		{"model = \"loggp\"\n[[network.size]]\nbytes = \"1 B\"\ng = \"1 us\"", "m.toml:24: network.size[0]: has no effect for \"loggp\"; it is for plogp"},
		{"model = \"plogp\"", "m.toml:22: network.L: is missing; the plogp network needs it"},
		{"model = \"bus\"\nbandwidth = \"1 MB/s\"\nsharing = \"fair\"", "m.toml:25: network.sharing: \"fair\" is not one of exclusive, max-min, packets"},
		{"model = \"bus\"\nbandwidth = \"1 MB/s\"\nsharing = \"packets\"", "m.toml:22: network.packet: is missing; network.sharing = \"packets\" needs it"},
		{"model = \"bus\"\nbandwidth = \"1 MB/s\"\nsharing = \"packets\"\npacket = \"0 B\"", "m.toml:26: network.packet: \"0 B\" is less than 1B"},
		{"model = \"bus\"\nbandwidth = \"1 MB/s\"\npacket = \"1 KiB\"", "m.toml:25: network.packet: has no effect without network.sharing = \"packets\""},
		{"model = \"loggp\"\nL = \"1 us\"\no = \"1 us\"\ng = \"1 us\"\nG = \"1 ns/B\"\npacket = \"1 KiB\"", "m.toml:28: network.packet: has no effect without network.sharing = \"packets\""},
		{"model = \"ideal\"\nsharing = \"max-min\"", "m.toml:24: network.sharing: has no effect for \"ideal\"; it is for bus, switch"},
		{plogp + sized, "m.toml:22: network: has no [[network.size]] with g"},
		{plogp + sized + "[[network.size]]\nbytes = \"1 B\"\n", "m.toml:26: network.size[0]: has no cost; add o_s, o_r or g"},
		{plogp + sized + "[[network.size]]\nbytes = \"2\"\ng = \"1 us\"", "m.toml:27: network.size[0].bytes: "},
		{plogp + sized + "[[network.size]]\nbytes = \"1 TiB\"\ng = \"1 us\"\n[[network.size]]\nbytes = \"2048 TiB\"\ng = \"1 us\"", "m.toml:30: network.size[1].bytes: 2048TiB is more than 1024TiB"},
		{plogp + sized + "[[network.size]]\nbytes = \"1 B\"\ng = \"1\"", "m.toml:28: network.size[0].g: "},
		{plogp + sized + "[[network.size]]\nbytes = \"1 B\"\nG = \"1 us\"", "m.toml:28: unknown key network.size[0].G"},
		{plogp + sized + "[[network.size]]\nbytes = \"2 B\"\ng = \"1 us\"\n[[network.size]]\nbytes = \"2 B\"\ng = \"1 us\"", "m.toml:30: network.size[1].bytes: 2B is not more than the 2B of the size before it"},
		{plogp + sized + "o_s = \"1 us\"\n[[network.size]]\nbytes = \"2 B\"\ng = \"1 us\"\no_s = \"1 us\"", "m.toml:26: network.o_s: is given twice: here and by size; remove one"},
		{plogp + sized + "g = \"1 us\"\n[[network.size]]\nbytes = \"2 B\"\ng = \"1 us\"", "m.toml:26: network.g: has no effect for \"plogp\""},
		{plogp + "o_r = \"1 us\"\n[[network.size]]\nbytes = \"2 B\"\ng = \"1 us\"", "m.toml:22: network: has no o_s, neither by size nor for all"},
		{plogp + "o_s = \"1 us\"\n[[network.size]]\nbytes = \"2 B\"\ng = \"1 us\"", "m.toml:22: network: has no o_r, neither by size nor for all"},
		{"model = \"logp\"\nL = \"1 us\"\ng = \"1 us\"\nspacing = \"all\"", "m.toml:26: network.spacing: "},
		{"model = \"logp\"\nL = \"1 us\"\ngap = \"bisection\"\ntopology = \"full\"\nrows = 1\ncols = 2", "m.toml:27: network.rows: has no effect for \"full\""},
	} {
		t.Run(c.keys, func(t *testing.T) {
			m, err := Parse("m.toml", []byte(networked(c.keys+"\n")))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || m != nil {
				t.Fatalf("got %v, %v, want an error that begins %q", m, err, c.want)
			}
		})
	}
}

func TestWhatMessagesCostProcessors(t *testing.T) {
	m, err := Parse("m.toml", []byte(strings.Replace(networked(`model = "loggp"
L = "2 us"
o = "0.5 us"
o_s = "0.4 us"
o_r = "0.6 us"
g = "1 us"
G = "2 ns/B"
S = "64 KiB"
gamma = "60 ns/line"
interrupt = "5 us"
buffer_copy = "0.2 ns/B"
ports = "both"
`), "cpi =", "cpf = 0.25\ncpi =", 1)))
	if err != nil {
		t.Fatal(err)
	}
	n := m.Network
	if n.Sending.Value.Picos() != 400_000 || n.Receiving.Value.Picos() != 600_000 || n.PerLine.Value.Picos() != 60_000 || n.Ports != BothPorts || m.Processor.CPF != 0.25 {
		t.Errorf("got %+v and %v", n, m.Processor.CPF)
	}
	if n.Interrupt.Value.Picos() != 5_000_000 || !n.Interrupt.Known || n.BufferCopy.Value.String() != "200ps" {
		t.Errorf("got %+v and %+v", n.Interrupt, n.BufferCopy)
	}
}
