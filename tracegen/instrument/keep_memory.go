package instrument

import (
	"fmt"
	"os"
)

// keepMemory returns the environment in which the garbage collector runs only when memory becomes scarce. Memory that
// it frees is used again at a time that differs between runs, and references to it would count for what was there
// before. The user can choose otherwise with GOGC.
func keepMemory() []string {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	env := []string{"GOGC=off"}
	if os.Getenv("GOMEMLIMIT") == "" {
		env = append(env, fmt.Sprintf("GOMEMLIMIT=%d", availableMemory()/2))
	}
	return env
}
