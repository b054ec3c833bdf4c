package recorder

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// qemu is an installed QEMU of user mode.
type qemu struct {
	path    string
	version string
	api     int // version of its plugin interface
}

var qemuVersion = regexp.MustCompile(`version (\d+)\.(\d+)`)

// findQEMU finds the QEMU that executes programs of an instruction set.
func findQEMU(ctx context.Context, machine string) (qemu, error) {
	name := "qemu-" + machine
	path, err := exec.LookPath(name)
	if err != nil {
		return qemu{}, fmt.Errorf("%s is not installed, which executes the program while it is recorded; install it: apt-get install qemu-user", name)
	}
	said, err := exec.CommandContext(ctx, path, "--version").Output()
	v := qemuVersion.FindSubmatch(said)
	if err != nil || v == nil {
		return qemu{}, fmt.Errorf("%s --version does not say its version; version 7.2 and newer can record", path)
	}
	major, _ := strconv.Atoi(string(v[1])) // digits
	minor, _ := strconv.Atoi(string(v[2]))
	q := qemu{path: path, version: string(v[1]) + "." + string(v[2]), api: 1}
	if major < 7 || major == 7 && minor < 2 {
		return qemu{}, fmt.Errorf("%s is version %s; version 7.2 and newer can record", path, q.version)
	}
	if major >= 9 {
		q.api = 2 // the least that it takes
	}
	return q, nil
}
