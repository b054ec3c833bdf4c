package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseSet reads values of the form key=value.
func ParseSet(set []string) (Values, error) {
	values := Values{}
	for _, s := range set {
		key, text, ok := strings.Cut(s, "=")
		if !ok {
			return nil, fmt.Errorf("--set %q is not of the form key=value", s)
		}
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("--set %q: %q is not an integer", s, text)
		}
		if _, twice := values[key]; twice {
			return nil, fmt.Errorf("--set %q: %s is set twice", s, key)
		}
		values[key] = v
	}
	return values, nil
}
