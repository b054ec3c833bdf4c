package machine

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestCosts: each cost of each machine file changes a copy, and only the copy. Keys that files give and that have a time or a
// rate are costs.
func TestCosts(t *testing.T) {
	files, _ := filepath.Glob("../../data/machine/*.toml")
	if len(files) < 20 {
		t.Fatalf("only %d machines", len(files))
	}
	for _, file := range files {
		m, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		before := m.clone()
		keys := map[string]bool{}
		for _, c := range m.Costs() {
			keys[index.ReplaceAllString(c.Key, "")] = true
			twice, value := c.Times(m, 2)
			if value == c.Value && value != "by size" || reflect.DeepEqual(twice, m) {
				t.Errorf("%s: %s stays %s", file, c.Key, value)
			}
			if back, value := c.Times(twice, 0.5); value != c.Value || back.Processor != m.Processor {
				t.Errorf("%s: %s is %s, and %s after twice and half", file, c.Key, c.Value, value)
			}
		}
		if !reflect.DeepEqual(before, m) {
			t.Errorf("%s: the machine has changed", file)
		}
		for _, key := range m.Given {
			name := key[strings.LastIndex(key, ".")+1:]
			timed := []string{"clock", "latency", "occupancy", "invalidate", "L", "o", "o_s", "o_r", "g", "G", "gamma", "interrupt", "buffer_copy", "bandwidth", "switch", "trap"}
			if slices.Contains(timed, name) && !keys[key] && !strings.HasPrefix(key, "node.") && !isZero(m, key) {
				t.Errorf("%s: %s is no cost", file, key)
			}
		}
	}
}

// TestCostsOfAPart: a file of a network alone has costs of the network alone.
func TestCostsOfAPart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.toml")
	if err := os.WriteFile(file, []byte("name = \"m\"\n[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"1 us\"\ng = \"1 us\"\nG = \"0 s/B\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := ReadPart(file)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, c := range m.Costs() {
		keys = append(keys, c.Key+" "+c.Value)
	}
	if want := []string{"network.L 2us", "network.o 1us", "network.g 1us"}; !slices.Equal(keys, want) {
		t.Errorf("%q, want %q", keys, want)
	}
}

// isZero reports whether a key has the value 0 in some machine files.
func isZero(m *Machine, key string) bool {
	switch key {
	case "cache.latency":
		return m.Caches[0].Latency == Latency{}
	case "directory.latency":
		return m.Directory.Latency == Latency{}
	case "network.o":
		return m.Network.Overhead.Value == 0
	case "network.g":
		return m.Network.Gap.Value == 0
	case "network.latency":
		return m.Network.Fixed.Value == Latency{}
	case "network.switch":
		return m.Network.Switch == Latency{}
	case "memory.invalidate":
		return m.Memory.Invalidate == Latency{}
	}
	return false
}
