//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package store

import "os"

// tryLock takes every file for free: nothing here locks files until a process ends.
func tryLock(*os.File) bool { return true }
