package formattest

import (
	"fmt"
	"strings"
)

// TiOf is a file of all ranks whose bodies are between init and finalize.
func TiOf(bodies ...string) string {
	var all strings.Builder
	for rank := range bodies {
		fmt.Fprintf(&all, "%d init\n", rank)
	}
	for rank, body := range bodies {
		for _, action := range strings.Split(body, ";") {
			if action = strings.TrimSpace(action); action != "" {
				fmt.Fprintf(&all, "%d %s\n", rank, action)
			}
		}
		fmt.Fprintf(&all, "%d finalize\n", rank)
	}
	return all.String()
}
