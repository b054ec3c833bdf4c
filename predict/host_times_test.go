package main

import (
	"path/filepath"
	"strings"
	"testing"

	"spoor/calibrate/param"
	"spoor/traces/stage"
)

// TestHostTimes: one worker measures what predict windtunnel needs. Several measure only their time, and a note says so.
func TestHostTimes(t *testing.T) {
	trace, file := writeTrace(t, "pair", 2, nil), filepath.Join(t.TempDir(), "host.toml")
	for _, c := range []struct{ workers, note string }{{"1", ""}, {"2", "--workers 1 also measures what predict windtunnel needs"}} {
		status, _, stderr := predict("replay", trace, "--machine", "../data/machine/wwt-dir1sw.toml", "--workers", c.workers, "--host-times", file)
		if status != stage.Done || !strings.Contains(stderr, c.note) {
			t.Fatalf("%s workers: status %v, %s", c.workers, status, stderr)
		}
		set, err := param.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"elapsed", "quanta"} {
			if _, ok := set.Lookup(name); !ok {
				t.Errorf("%s workers: no %s", c.workers, name)
			}
		}
	}
	if status, _, stderr := predict("replay", trace, "--machine", "../data/machine/wwt-dir1sw.toml", "--workers", "1", "--host-times", file); status != stage.Done {
		t.Fatal(stderr)
	}
	if status, _, stderr := predict("windtunnel", "--params", file, "--measured", "testdata"); status != stage.Failed || !strings.Contains(stderr, "times of this host") {
		t.Errorf("--measured with times of the host: status %v, %s", status, stderr)
	}
	for _, flags := range [][]string{{trace + ".refs.arrow"}, {file, "-o", file}, {filepath.Join(filepath.Dir(file), "params.arrow"), "--quanta", filepath.Dir(file)}} {
		status, _, stderr := predict(append([]string{"replay", trace, "--machine", "../data/machine/wwt-dir1sw.toml", "--host-times"}, flags...)...)
		if status != stage.WrongUsage || !strings.Contains(stderr, "would overwrite an input") && !strings.Contains(stderr, "name the same file") && !strings.Contains(stderr, "in the folder of --quanta") {
			t.Errorf("%v: status %v, %s", flags, status, stderr)
		}
	}
	if status, _, stderr := predict("replay", trace, "--machine", "../data/machine/spasm-mesh.toml", "--host-times", file); status != stage.WrongUsage ||
		!strings.Contains(stderr, "target wwt") {
		t.Errorf("status %v, %s", status, stderr)
	}
}
