package instrument

import (
	"os/exec"
	"strings"
	"testing"
)

// A recorded program is built with the supplied packages alone, so they need no other package of this module.
func TestSuppliedPackagesNeedNoOther(t *testing.T) {
	args := []string{"list", "-deps"}
	for _, p := range supplied {
		args = append(args, p.path)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	err = sources(func(pkg, _ string, _ []byte) error {
		has[pkg] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if strings.HasPrefix(path, "spoor/") && !has[path] {
			t.Errorf("%s is needed and not supplied", path)
		}
	}
}
