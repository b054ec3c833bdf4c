//go:build !linux

package recorder

import (
	"errors"
	"os"
)

func sharedMemory() (*os.File, error) { return nil, errors.New("only Linux has QEMU's user mode") }
