package study

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"spoor/traces/stage"
	"spoor/traces/store"
)

// noteOthers notes the results in a folder that are of another trace than the digest. They are of an older run with other
// analyses. Predict refuses to mix them.
func noteOthers(env *stage.Env, dir, digest string) {
	files, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "*"))
	var others []string
	for _, f := range files {
		if trace := traceOf(f); trace != "" && trace != digest {
			others = append(others, filepath.Base(f))
		}
	}
	if len(others) > 0 {
		env.Note("%s: %s of another trace, from an older run; delete the old results, or choose another folder", dir, are(others))
	}
}

// are returns "a is" or "a, b are".
func are(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names, ", ") + " are"
}

// traceOf returns the digest of the trace that a result was measured on, or "" if the file is none or cannot be read.
func traceOf(file string) string {
	switch {
	case strings.HasSuffix(file, ".arrow"):
		if t, err := store.ReadHead(file); err == nil {
			return t.Fact("trace")
		}
	case strings.HasSuffix(file, ".params.toml"):
		if text, err := os.ReadFile(file); err == nil {
			if found := sourceDigest.FindSubmatch(text); found != nil {
				return string(found[1])
			}
		}
	}
	return ""
}

// sourceDigest is the digest in the source of a parameter.
var sourceDigest = regexp.MustCompile(`(?m)^source = ".* sha256:([0-9a-f]+)`)

// escapeGlob escapes the special characters of a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
