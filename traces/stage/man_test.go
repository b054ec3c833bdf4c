package stage

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestManualPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	if status, out, errs := run("man", dir); status != Done || out+errs != "" {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(files) != 8 {
		t.Fatalf("%q, %v", files, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "tool-well.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".TH TOOL\\-WELL 1", "tool\\-well \\- ends well", "  $ tool well\n", `\-\-size int`, `\-q, \-\-quiet`, "tool(1)"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(string(text), want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		})
	}
	if status, _, _ := run("man"); status != WrongUsage {
		t.Errorf("status %d without a folder", status)
	}
}

func TestRoff(t *testing.T) {
	if got, want := roff(".a\n'b\nc\\d-e .f"), "\\&.a\n\\&'b\nc\\ed\\-e .f"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	nroff, err := exec.LookPath("nroff")
	if err != nil {
		t.Log("no nroff, so no formatter reads the page")
		return
	}
	cmd := exec.Command(nroff, "-man", "-Tascii", "-ww")
	cmd.Stdin = strings.NewReader(page(tree(&Env{})))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Tool tries things.") || strings.Contains(string(out), "warning") {
		t.Errorf("%v:\n%s", err, out)
	}
}
