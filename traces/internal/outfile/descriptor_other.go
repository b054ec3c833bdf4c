//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package outfile

import (
	"errors"
	"os"
)

// duplicate fails: these systems have no paths of descriptors.
func duplicate(int) (*os.File, error) { return nil, errors.ErrUnsupported }

// mayWrite returns nil: whether path can be written shows when it is opened.
func mayWrite(string) error { return nil }
