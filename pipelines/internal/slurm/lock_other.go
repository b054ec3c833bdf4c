//go:build !linux && !darwin

package slurm

import "os"

// lock does nothing: Slurm does not run here.
func lock(*os.File) error { return nil }
