package machine

import (
	"reflect"
	"strings"
	"testing"

	"spoor/analyze/comm"
)

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		keys string
		want Network
		room int
	}{
		{"model = \"torus\"\ndims = [1, 2, 1]\nrails = 2\nrouting = \"valiant\"\nseed = 7\n",
			Network{Model: "torus", Shape: comm.Shape{Dims: []int{1, 2, 1}}, Rails: 2, Routing: RouteValiant, Seed: 7}, 2},
		{"model = \"fattree\"\ndown = [4, 2]\nup = [1, 2]\nparallel = [1, 3]\nrouting = \"adaptive\"\n",
			Network{Model: "fattree", Shape: comm.Shape{Down: []int{4, 2}, Up: []int{1, 2}, Parallel: []int{1, 3}}, Routing: RouteAdaptive}, 8},
		{"model = \"fattree\"\narity = 8\ntaper = 2.0\n", Network{Model: "fattree", Shape: comm.Shape{Arity: 8, Taper: 2}}, 0},
		{"model = \"dragonfly\"\n", Network{Model: "dragonfly"}, 0},
		{"model = \"dragonfly\"\ngroups = 4\nchassis = 2\nrouters = 3\nhosts = 5\nglobal = 2\nrails = 1\nrouting = \"minimal\"\n",
			Network{Model: "dragonfly", Shape: comm.Shape{Groups: 4, Chassis: 2, Routers: 3, Hosts: 5, Global: 2}}, 120},
	} {
		m, err := Parse("m.toml", []byte(networked(c.keys+"bandwidth = \"1 GB/s\"\n")))
		if err != nil {
			t.Errorf("%s: %v", c.keys, err)
			continue
		}
		c.want.Efficiency, c.want.Sharing, c.want.Bandwidth = 1, ShareExclusive, m.Network.Bandwidth
		if !reflect.DeepEqual(*m.Network, c.want) || m.Network.Room() != c.room {
			t.Errorf("got %+v, room for %d, want %+v, %d", *m.Network, m.Network.Room(), c.want, c.room)
		}
	}
	m, err := Parse("m.toml", []byte(networked("model = \"logp\"\nL = \"1 us\"\ngap = \"bisection\"\ntopology = \"dragonfly\"\ngroups = 2\nrouters = 2\nhosts = 2\n")))
	if err != nil || m.Network.Room() != 8 {
		t.Errorf("%+v, %v", m, err)
	}
	part, err := ParsePart("m.toml", []byte("[network]\nmodel = \"dragonfly\"\nbandwidth = \"1 GB/s\"\ngroups = 2\nrouters = 2\nhosts = 2\n"))
	if err != nil || part.System.Nodes != 8 {
		t.Errorf("%+v, %v", part, err)
	}
}

func TestBadShapes(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"model = \"mesh\"\nrows = 1\ncols = 2\ndims = [2]", "m.toml:26: network.dims: is given besides network.rows; give one of them"},
		{"model = \"dragonfly\"\ngroups = 1\nrouters = 1\nhosts = 1", "m.toml:30: system.nodes: 2 nodes are more than the 1 that the network has room for"},
		{"model = \"fattree\"\ndims = [2]", "m.toml:24: network.dims: has no effect for \"fattree\"; it is for mesh, torus"},
		{"model = \"mesh\"\ndims = []", "m.toml:24: network.dims: is empty"},
		{"model = \"mesh\"\ndims = [0, 2]", "m.toml:24: network.dims: 0 is not from 1 to"},
		{"model = \"mesh\"\ndims = [1, 1, 1, 1, 1, 1, 2]", "m.toml:24: network.dims: has 7 dimensions; a grid has 1 to 6"},
		{"model = \"mesh\"\ndims = [70000, 70000]", "m.toml:24: network.dims: is 70000x70000; the product must be from 1 to 65536"},
		{"model = \"mesh\"\ndown = [2]", "m.toml:24: network.down: has no effect for \"mesh\"; it is for fattree"},
		{"model = \"fattree\"\ndown = [2, 2]\nup = [1]", "m.toml:24: network.down: has 2 levels, network.up 1 and network.parallel 0; give one number for each level"},
		{"model = \"fattree\"\ndown = [2, 2]\nup = [1, 1]\narity = 2", "m.toml:24: network.down: describes all levels"},
		{"model = \"fattree\"\narity = 4\ntaper = 3.0", "m.toml:25: network.taper: is 3; 4 ports down for 1.33"},
		{"model = \"fattree\"\ntaper = 0.0", "m.toml:24: network.taper: 0 is less than 1"},
		{"model = \"dragonfly\"\ngroups = 2\nrouters = 2", "m.toml:22: network.hosts: is missing"},
		{"model = \"dragonfly\"\nglobal = 2", "m.toml:22: network.groups: is missing"},
		{"model = \"dragonfly\"\ngroups = 1\nrouters = 2\nhosts = 1\nglobal = 2", "m.toml:27: network.global: has no effect with one group"},
		{"model = \"dragonfly\"\ngroups = 300\nrouters = 20\nhosts = 20", "m.toml:24: network.groups: times chassis, routers and hosts is 300x1x20x20; the product must be from 1 to 65536"},
		{"model = \"torus\"\nhosts = 2", "m.toml:24: network.hosts: has no effect for \"torus\"; it is for dragonfly"},
		{"model = \"ideal\"\nrails = 2", "m.toml:24: network.rails: has no effect for \"ideal\"; it is for bus, switch"},
		{"model = \"torus\"\nrails = 0", "m.toml:24: network.rails: 0 is not from 1 to 64"},
		{"model = \"switch\"\nrouting = \"valiant\"", "m.toml:24: network.routing: has no effect for \"switch\"; it is for full, hypercube, mesh, torus, fattree, dragonfly"},
		{"model = \"fattree\"\ndown = [2, 2]\nup = [1, 1]\nrouting = \"valiant\"", "m.toml:26: network.routing: \"valiant\" has no effect: there is one route between two nodes of this fattree"},
		{"model = \"dragonfly\"\ngroups = 2\nrouters = 1\nhosts = 2\nrouting = \"adaptive\"", "m.toml:27: network.routing: \"adaptive\" has no effect"},
		{"model = \"torus\"\nrouting = \"ugal\"", "m.toml:24: network.routing: \"ugal\" is not one of minimal, valiant, adaptive"},
		{"model = \"torus\"\nseed = 1", "m.toml:24: network.seed: has no effect without network.routing = \"valiant\" or \"adaptive\""},
		{"model = \"torus\"\nrouting = \"valiant\"\nseed = -1", "m.toml:25: network.seed: -1 is not from 0 to"},
		{"model = \"logp\"\nL = \"1 us\"\ngap = \"bisection\"\ntopology = \"torus\"\nrouting = \"valiant\"", "m.toml:27: network.routing: has no effect for \"logp\""},
	} {
		t.Run(c.keys, func(t *testing.T) {
			m, err := Parse("m.toml", []byte(networked(c.keys+"\n")))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || m != nil {
				t.Fatalf("got %v, %v, want an error that begins %q", m, err, c.want)
			}
		})
	}
}
