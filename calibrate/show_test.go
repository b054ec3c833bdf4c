package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"spoor/calibrate/internal/describe"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// keysOf are the keys of a document, those of tables with the names of the tables. The geometry of caches is one row.
func keysOf(at string, value any) (keys []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			keys = append(keys, keysOf(strings.TrimPrefix(at+"."+key, "."), inner)...)
		}
	case []any:
		if _, isTable := v[0].(map[string]any); !isTable {
			return []string{at} // a list of numbers
		}
		for i, inner := range v {
			keys = append(keys, keysOf(fmt.Sprintf("%s[%d]", at, i), inner)...)
		}
	default:
		if inCache := strings.Contains(at, "cache"); !inCache || !strings.HasSuffix(at, ".line") && !strings.HasSuffix(at, ".ways") {
			keys = append(keys, at)
		}
	}
	return keys
}

// TestShowsAllOfAMachine: each key of the machines at hand, and of one that has the others, is a row.
func TestShowsAllOfAMachine(t *testing.T) {
	files, err := filepath.Glob("../data/machine/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for i, rest := range []string{
		"[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"0.5 us\"\ng = \"0.7 us\"\nG = \"2 ns/B\"\no_s = \"1 us\"\no_r = \"1 us\"\ngamma = \"60 ns/line\"\nports = \"both\"\nS = \"65535 B\"\ninterrupt = \"5 us\"\nbuffer_copy = \"0.2 ns/B\"\n[directory]\nkind = \"limited\"\npointers = 2\noverflow = \"broadcast\"\n",
		"[network]\nmodel = \"torus\"\nbandwidth = \"1 GB/s\"\nefficiency = 0.9\nswitch = \"9 ns\"\nrows = 2\ncols = 4\n[directory]\nkind = \"sparse\"\nentries = 64\nways = 4\nhints = true\n",
		"[network]\nmodel = \"fattree\"\nbandwidth = \"1 GB/s\"\narity = 3\n",
		"[network]\nmodel = \"fattree\"\nbandwidth = \"1 GB/s\"\narity = 4\ntaper = 2.0\n",
		"[network]\nmodel = \"fattree\"\nbandwidth = \"1 GB/s\"\ndown = [4, 2]\nup = [1, 2]\nparallel = [1, 2]\n",
		"[network]\nmodel = \"torus\"\nbandwidth = \"1 GB/s\"\ndims = [2, 2, 2]\nrails = 2\nrouting = \"valiant\"\nseed = 3\n",
		"[network]\nmodel = \"dragonfly\"\nbandwidth = \"1 GB/s\"\ngroups = 2\nchassis = 2\nrouters = 2\nhosts = 2\nglobal = 3\n",
	} {
		file := filepath.Join(t.TempDir(), fmt.Sprint(i, ".toml"))
		if err := os.WriteFile(file, []byte(`name = "rest"
processor = {clock = "1 GHz", cpi = 1, cpf = 2}
cache = [{size = "32 KiB", line = "32 B", ways = 4, latency = "1 cycle"}]
memory = {size = "64 MiB", latency = "50 cycles", placement = "interleaved", page = "1 KiB"}
system = {target = "ccnuma", processors = 2, nodes = 8}
`+rest), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document map[string]any
		if err := toml.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		table, err := describe.Table([]string{file})
		if err != nil {
			t.Fatal(err)
		}
		names, err := store.Data[string](table, "name")
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keysOf("", document) {
			if !slices.Contains(names, key) {
				t.Errorf("%s: no row for %s", file, key)
			}
		}
	}
}

// A machine that lacks sections is shown, with what each of them is for.
func TestShowPartOfAMachine(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"0.5 us\"\ng = \"0.7 us\"\nG = \"1 ns/B\"\n"
	if err := os.WriteFile("five.toml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out, errs := run("show", "five.toml", "--format", "csv")
	for _, want := range []string{"five.toml,name,five,\n", "five.toml,network.L,2us,of a message\n", "five.toml,missing,[processor],for instructions\n",
		"five.toml,missing,[system],for the target and its size\n", "[system] not given: each rank has a node of its own\n"} {
		t.Run(want, func(t *testing.T) {
			if status != stage.Done || !strings.Contains(out, want) {
				t.Errorf("status %d, %s%s, without %q", status, out, errs, want)
			}
		})
	}
	if strings.Contains(out, "processor.clock") || strings.Contains(out, "system.target") {
		t.Error(out)
	}
}
