package placement

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/plainmachine"
)

// cluster is a machine of 4 nodes with 4 processors each.
func cluster(t testing.TB) *machine.Machine {
	t.Helper()
	return plainmachine.New(t, `"smp"`, `"clump"`, "[system]", "[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"1 us\"\ng = \"1 us\"\nG = \"1 ns/B\"\n[system]",
		"processors = 4", "processors = 4\nnodes = 4\nblock = \"64 B\"")
}

// The nodes of ranks by hand.
func TestNodesOfRanks(t *testing.T) {
	rankfile := "# a rank file of Open MPI\nrank 1=b slot=0\n\nrank 0=a slot=1:0-3\nrank 2=b slot=1\nrank 3=a slot=0\n"
	for _, c := range []struct {
		name, file string
		place      Placement
		ranks      int
		want       string
	}{
		{"block", "", Placement{Map: Block}, 6, "[0 0 0 0 1 1]"},
		{"default", "", Placement{PerNode: 2}, 6, "[0 0 1 1 2 2]"},
		{"cyclic", "", Placement{Map: Cyclic}, 6, "[0 1 0 1 0 1]"},
		{"cyclic, two on a node", "", Placement{Map: Cyclic, PerNode: 2}, 6, "[0 1 2 0 1 2]"},
		{"one on a node", "", Placement{PerNode: 1}, 4, "[0 1 2 3]"},
		{"rank file", rankfile, Placement{}, 4, "[0 1 1 0]"},
		{"relative nodes", "rank 0=+n3 slot=0\nrank 1=+n0 slot=0\n", Placement{}, 2, "[3 0]"},
		{"hosts", "x\ny\nx # again\n", Placement{}, 3, "[0 1 0]"},
		{"hosts in lines", "x,y,x\ny\n", Placement{}, 4, "[0 1 0 1]"},
		{"a range of hosts", "n[08-10,08]\nn9,n09\n", Placement{}, 6, "[0 1 2 0 3 1]"},
		{"two ranges", "r[0-1]n[2, 3]\n", Placement{}, 4, "[0 1 2 3]"},
		{"repeated hosts", "x*2,y,x*1\n", Placement{}, 4, "[0 0 1 0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.place.in(t, c.file)
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
			m, err := p.On(cluster(t), c.ranks)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(m.Placed); got != c.want {
				t.Errorf("nodes %s, want %s", got, c.want)
			}
			for r := range c.ranks {
				if m.NodeOf(r) != m.Placed[r] {
					t.Errorf("rank %d is on node %d, placed on %d", r, m.NodeOf(r), m.Placed[r])
				}
			}
		})
	}
}

// in returns the placement of a file with this text, or p without text.
func (p Placement) in(t *testing.T, text string) Placement {
	t.Helper()
	if text != "" {
		p.Map = filepath.Join(t.TempDir(), "ranks")
		if err := os.WriteFile(p.Map, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestPlacementErrors(t *testing.T) {
	for _, c := range []struct {
		name, file string
		place      Placement
		ranks      int
		want       string
	}{
		{"too many on a node", "", Placement{PerNode: 5}, 6, `placing rank 4: node 0 of machine "m" has only 4 processors`},
		{"too many nodes", "", Placement{PerNode: 1}, 5, `placing rank 4 on node 4: machine "m" has 4 nodes`},
		{"negative", "", Placement{PerNode: -1}, 5, "--ranks-per-node: -1 is not a number from 0"},
		{"no file", "", Placement{Map: "blok"}, 5, `--map: "blok" is neither block, cyclic, all nor a file`},
		{"a number beside a file", "x\n", Placement{PerNode: 1}, 1, "has no effect with --map"},
		{"a rank too many", "x\ny\nz\n", Placement{}, 2, "ranks:3: rank 2 does not exist: the program has ranks 0 to 1"},
		{"a rank without host", "x\n", Placement{}, 2, "ranks: rank 1 has no host"},
		{"a rank twice", "rank 0=x slot=0\nrank 0=y slot=0\n", Placement{}, 2, "ranks:2: rank 0 has a host already"},
		{"no rank line", "rank zero\n", Placement{}, 2, `ranks:1: "rank zero" is not a line such as`},
		{"no host", "x,,y\n", Placement{}, 3, `ranks:1: "" is not the name of a host`},
		{"an empty host", "x,\n", Placement{}, 3, `ranks:1: "" is not the name of a host`},
		{"open brackets", "x[1-2\n", Placement{}, 2, `ranks:1: "x[1-2" has brackets that do not match`},
		{"closed brackets", "x1]\n", Placement{}, 2, `ranks:1: "x1]" has brackets that do not match`},
		{"no range", "x[2-1]\n", Placement{}, 2, `ranks:1: "2-1" in brackets is not a number or a range such as 08-11`},
		{"too long a range", "x[0-4294967295]\n", Placement{}, 2, "ranks:1: rank 2 does not exist"},
		{"no repetition", "x*0\n", Placement{}, 2, `ranks:1: "x*0" is not a host and how often it is repeated`},
		{"brackets of a rank", "rank 0=x[1-2] slot=0\n", Placement{}, 2, `ranks:1: "x[1-2]" is not the name of a host`},
		{"no node", "rank 0=+nx slot=0\n", Placement{}, 1, `"+nx" is not a node such as +n2`},
		{"mixed names", "+n1\nx\n", Placement{}, 2, "cannot be mixed"},
		{"far node", "rank 0=+n9 slot=0\n", Placement{}, 1, `placing rank 0 on node 9: machine "m" has 4 nodes`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.place.in(t, c.file)
			err := p.Check()
			if err == nil {
				_, err = p.On(cluster(t), c.ranks)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// On one node, no placement has an effect.
func TestOneNode(t *testing.T) {
	m := plainmachine.New(t)
	if _, err := (Placement{Map: Cyclic}).On(m, 2); err == nil || !strings.Contains(err.Error(), "has one node") {
		t.Error(err)
	}
}

// Results name a file by its content, not by its path.
func TestNameHasNoPath(t *testing.T) {
	a, b := (Placement{}).in(t, "x\ny\n"), (Placement{}).in(t, "x\ny\n")
	for _, p := range []*Placement{&a, &b} {
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if a.Map == b.Map || a.Name() != b.Name() || strings.Contains(a.Name(), a.Map) {
		t.Errorf("%s and %s", a.Name(), b.Name())
	}
}

// Any file gives one node for each rank, or an error.
func FuzzFile(f *testing.F) {
	f.Add("rank 0=a slot=0\nrank 1=+n2\n", 2)
	f.Add("a\nb,c # d\n", 3)
	f.Add("a[1-2,09]b[0-1]*2,c*3\n", 9)
	f.Fuzz(func(t *testing.T, text string, ranks int) {
		ranks = min(max(ranks, 1), 64)
		nodes, err := parse(text, ranks)
		if err == nil && len(nodes) != ranks {
			t.Errorf("%d nodes of %d ranks", len(nodes), ranks)
		}
		for _, n := range nodes {
			if n < 0 {
				t.Errorf("node %d", n)
			}
		}
	})
}
