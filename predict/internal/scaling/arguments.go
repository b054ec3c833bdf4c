package scaling

import (
	"fmt"
	"strconv"
	"strings"
)

// arguments divides the title of a program into its name and its arguments. Arguments are "points=1024" of a kernel,
// and -n 8192, -n=8192, --n 8192 or --n=8192 of another program, all under the name n. An argument without a name is
// arg1, arg2 and so on.
func arguments(title string) (program string, all map[string]string) {
	fields := strings.Fields(title)
	all = map[string]string{}
	if len(fields) == 0 {
		return "", all
	}
	flag, unnamed := "", 0
	for _, f := range fields[1:] {
		f = strings.TrimPrefix(f, ownArguments)
		name, value, has := strings.Cut(f, "=")
		switch bare := flagName(name); {
		case bare != "" && has:
			all[bare], flag = value, ""
		case bare != "":
			all[bare], flag = "true", bare
		case flag != "":
			all[flag], flag = f, ""
		case has && name != "":
			all[name] = value
		default:
			unnamed++
			all[fmt.Sprint("arg", unnamed)] = f
		}
	}
	return fields[0], all
}

// ownArguments begins the arguments of a program of the user.
const ownArguments = "args="

// flagName returns the name of a flag such as -n or --n, or "" if text is none. Negative numbers are none.
func flagName(text string) string {
	name := strings.TrimLeft(text, "-")
	if _, err := strconv.ParseFloat(text, 64); err == nil || name == text || len(text)-len(name) > 2 {
		return ""
	}
	return name
}
