package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A timeline for Paraver has its labels beside it, one for each type of event that is in it.
func TestTimelineOfParaverHasLabels(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.prv")
	if status, _, stderr := predict("replay", writeMessages(t), writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n[system]"), "--timeline", file); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	labels := regexp.MustCompile(`(?m)^9 +(\d+) `).FindAllStringSubmatch(read(t, filepath.Join(dir, "run.pcf")), -1)
	known := map[string]bool{}
	for _, l := range labels {
		known[l[1]] = true
	}
	events := 0
	for line := range strings.Lines(read(t, file)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if fields[0] != "2" {
			continue
		}
		for i := 6; i < len(fields); i += 2 {
			events++
			if !known[fields[i]] {
				t.Errorf("type %s of %q has no label", fields[i], line)
			}
		}
	}
	if events == 0 {
		t.Error("no events")
	}
}

func TestTimelineOfChromeIsOneFile(t *testing.T) {
	dir := t.TempDir()
	if status, _, stderr := predict("replay", writeMessages(t), writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n[system]"), "--timeline", filepath.Join(dir, "run.json")); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if !json.Valid([]byte(read(t, filepath.Join(dir, "run.json")))) {
		t.Error("no JSON")
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("files %v", files)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
