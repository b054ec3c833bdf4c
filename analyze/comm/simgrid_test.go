package comm

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// simgridShape returns the kind and shape that SimGrid's parameters describe.
func simgridShape(t *testing.T, topology, parameters string) (kind string, s Shape) {
	t.Helper()
	list := func(text string) (all []int) {
		for _, each := range strings.Split(text, ",") {
			n, err := strconv.Atoi(each)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, n)
		}
		return all
	}
	parts := strings.Split(parameters, ";")
	switch topology {
	case "FAT_TREE":
		return "fattree", Shape{Down: list(parts[1]), Up: list(parts[2]), Parallel: list(parts[3])}
	case "DRAGONFLY": // each with its number of links
		return "dragonfly", Shape{Groups: list(parts[0])[0], Chassis: list(parts[1])[0], Routers: list(parts[2])[0], Hosts: list(parts[3])[0]}
	}
	dims := list(parameters)
	slices.Reverse(dims) // SimGrid's first dimension is the lowest digit
	return "torus", Shape{Dims: dims}
}

// renamed is the links of one network by the names that they have in another.
type renamed struct {
	ours map[string]Link
	sims map[Link]string
}

// same reports whether two routes have the same links, as far as is known, and learns the names.
func (r renamed) same(route []Link, word string) bool {
	words := strings.Split(word, ".")
	for i, l := range route {
		if len(words) != len(route) {
			return false
		}
		link, known := r.ours[words[i]]
		name, named := r.sims[l]
		if known != named || known && (link != l || name != words[i]) {
			return false
		}
		r.ours[words[i]], r.sims[l] = l, words[i]
	}
	return true
}

// simgridDiffers says where SimGrid goes other ways on purpose of ours: by longer or shorter routes if it says so.
func simgridDiffers(kind string, s Shape, from, to int) (links, length bool) {
	switch kind {
	case "fattree": // down over parallel links
		return slices.Max(s.Parallel) > 1, false
	case "torus": // on rings of an even number, if both ways are equal
		for i := len(s.Dims) - 1; i >= 0; i-- {
			n := s.Dims[i]
			links = links || n > 2 && (2*((from-to)%n) == n || 2*((to-from)%n) == n)
			from, to = from/n, to/n
		}
		return links, false
	}
	// A message in a group leaves its sender's chassis without a link, if it is not the first chassis and the routers have
	// other numbers in their chassis.
	a, b := from/s.Hosts, to/s.Hosts
	wrong := a/s.Routers/s.Chassis == b/s.Routers/s.Chassis && a/s.Routers%s.Chassis > 0 && a%s.Routers != b%s.Routers
	return wrong, wrong
}

// Every route has the links that SimGrid takes, under other names, except as simgridDiffers says. See
// testdata/simgrid/routes.sh.
func TestRoutesAreSimGrids(t *testing.T) {
	f, err := os.Open("testdata/simgrid/routes.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		head := strings.Fields(lines.Text())
		procs, err := strconv.Atoi(head[2])
		if err != nil {
			t.Fatal(err)
		}
		var words [][]string
		for range procs {
			lines.Scan()
			words = append(words, strings.Fields(lines.Text()))
		}
		t.Run(head[0]+" "+head[1], func(t *testing.T) {
			kind, shape := simgridShape(t, head[0], head[1])
			n, err := TopologyNamed(kind).New(shape, procs)
			if err != nil {
				t.Fatal(err)
			}
			compareRoutes(t, n, n.Route, words, func(from, to int) (links, length bool) { return simgridDiffers(kind, shape, from, to) })
			if same, is := n.(SimGridRouter); is {
				compareRoutes(t, n, same.SimGridRoute, words, func(int, int) (links, length bool) { return false, false })
			}
		})
	}
}

// compareRoutes compares routes of n with those of SimGrid.
func compareRoutes(t *testing.T, n Topology, by func(from, to int, into []Link) []Link, words [][]string, differs func(from, to int) (links, length bool)) {
	names, other := renamed{map[string]Link{}, map[Link]string{}}, 0
	for from := range words {
		for to, word := range words[from] {
			route := by(from, to, nil)
			links, length := differs(from, to)
			if links {
				other++
			}
			if want := strings.Count(word, ".") + 1; from != to && !length && len(route) != want || !links && !names.same(route, word) {
				t.Errorf("from %d to %d: got %v, of SimGrid %s", from, to, route, word)
			}
		}
	}
	if pairs := n.Procs() * n.Procs(); other > 0 {
		t.Logf("%s: SimGrid differs in %d of %d pairs", n.Name(), other, pairs)
	}
}
