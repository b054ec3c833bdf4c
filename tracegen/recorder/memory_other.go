//go:build !linux

package recorder

import (
	"errors"
	"os"
)

var errElsewhere = errors.New("only Linux has QEMU's user mode")

func sharedMemory() (*os.File, error)           { return nil, errElsewhere }
func socketPair() (ends [2]*os.File, err error) { return ends, errElsewhere }
func descriptors([]byte) (d [2]*os.File)        { return d }
func foreground() bool                          { return false }
