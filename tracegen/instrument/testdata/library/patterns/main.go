// Patterns finds and replaces regular expressions.
package main

import (
	"os"
	"regexp"
	"strings"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(*spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		text := strings.Repeat("From: ann@example.com, to bob.b@example.org on 2026-11-28 at 12:30. ", 200)
		mail := regexp.MustCompile(`([a-z.]+)@([a-z]+)\.(com|org)`)
		date := regexp.MustCompile(`\d{4}-\d\d-\d\d`)
		n := len(mail.FindAllStringSubmatch(text, -1)) + len(date.FindAllString(text, -1))
		if n == 0 || mail.ReplaceAllString(text, "$2") == text {
			panic("nothing found")
		}
		return nil
	})
}
