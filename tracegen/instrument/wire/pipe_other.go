//go:build !unix

package wire

import (
	"errors"
	"os"
)

var errOnlyUnix = errors.New("packages and their programs are run with a pipe under a number, which this system does not let a process have; " +
	"kernels run here, and on Linux (WSL too), macOS or BSD packages do")

// Supported returns an error, because this system cannot run a program for recording.
func Supported() error { return errOnlyUnix }

// inheritedPipe returns an error.
func inherited(int) (*os.File, error) { return nil, errOnlyUnix }
