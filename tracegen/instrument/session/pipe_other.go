//go:build !unix

package session

import (
	"errors"
	"os"
)

var errOnlyUnix = errors.New("this system cannot start a process with a numbered pipe, which --package needs; " +
	"use Linux (also WSL), macOS or BSD; the programs of 'tracegen --list' run here")

// Supported returns an error, because this system cannot run a program for recording.
func Supported() error { return errOnlyUnix }

// inheritedPipe returns an error.
func inheritedPipe(int) (*os.File, error) { return nil, errOnlyUnix }
