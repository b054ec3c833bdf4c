package report

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Chromium shows pages without complaint or network, and everything in them works. Screenshots of
// them stay in bin/screenshots.
func TestPagesInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a browser")
	}
	for _, tool := range []string{"chromium", "node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: apt-get install chromium nodejs npm", tool)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund")
	install.Dir = "browser"
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("playwright-core could not be installed: %v\n%s", err, out)
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	shots, err := filepath.Abs("../../../bin/screenshots")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"check.mjs", chromium, shots}
	dir := t.TempDir()
	for _, p := range []struct {
		name  string
		study *Study
	}{{"quick.html", quick.study()}, {"evil.html", evilStudy()}, {"tables.html", tablesStudy(t, "a program")}, {"evil-tables.html", tablesStudy(t, evilName)}} {
		path := filepath.Join(dir, p.name)
		var page bytes.Buffer
		if err := p.study.WriteHTML(&page, p.name); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	out, err := checkPages(ctx, args)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 4 {
		// Chromium itself can stop answering. A page that stops it does so again.
		t.Logf("once more: %s", out)
		out, err = checkPages(ctx, args)
	}
	if errors.As(err, &exit) && exit.ExitCode() == 3 {
		t.Skipf("chromium does not start here: %s", out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// checkPages runs check.mjs with a browser of its own.
func checkPages(ctx context.Context, args []string) ([]byte, error) {
	use := exec.CommandContext(ctx, "node", args...)
	use.Dir = "browser"
	use.WaitDelay = time.Second // a browser that hangs holds the output open
	return use.CombinedOutput()
}

// evilName is what a trace may call its program: ends of everything that it might stand in.
const evilName = `</script><script>window.injected=1</script>"'><img src=x onerror=window.injected=2>]]>{b|x}${window.injected=3}&amp;{{.}}` +
	"\u2028\u2029\x00\x1b[31m\nsecond line</style><!--"

func evilStudy() *Study {
	f := fake{programs: []string{evilName, "__proto__"}, processors: []int32{1, 2}, models: []string{evilName, "constructor"}, off: map[string]float64{}}
	s := f.study()
	s.Commands = []string{evilName}
	return s
}
