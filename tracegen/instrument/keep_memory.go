package instrument

import (
	"cmp"
	"fmt"
	"os"
)

// keepMemory returns the environment in which the garbage collector runs only when memory becomes scarce. Memory that
// it frees is used again at a time that differs between runs, and references to it would count for what was there
// before. The user can choose otherwise with GOGC. Half of the available memory is scarce.
func keepMemory(available uint64) []string {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	env := []string{"GOGC=off"}
	if os.Getenv("GOMEMLIMIT") == "" {
		env = append(env, fmt.Sprintf("GOMEMLIMIT=%d", cmp.Or(available, fewBytes)/2))
	}
	return env
}

// fewBytes is the available memory if nobody says how much there is.
const fewBytes = 4 << 30
