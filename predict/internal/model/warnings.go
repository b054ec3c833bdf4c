package model

import (
	"regexp"
	"strconv"
	"strings"
)

// number is a number that stands alone in a warning: names such as du2000-smp-256k and sizes such as 64KiB are none.
var number = regexp.MustCompile(`(^|[ (])([-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)($|[ ,;:)])`)

// WarningKind is warnings that differ only in their numbers.
type WarningKind struct {
	text []string    // between the numbers
	lo   []warnedNum // least value of each number
	hi   []warnedNum // largest value of each number
}

// warnedNum is a number with its text.
type warnedNum struct {
	value float64
	text  string
}

// NewWarningKind divides a warning into its numbers and the text between them.
func NewWarningKind(warning string) *WarningKind {
	k := &WarningKind{}
	for {
		m := number.FindStringSubmatchIndex(warning)
		if m == nil {
			k.text = append(k.text, warning)
			return k
		}
		text := warning[m[4]:m[5]]
		value, _ := strconv.ParseFloat(text, 64)
		k.text, k.lo = append(k.text, warning[:m[4]]), append(k.lo, warnedNum{value, text})
		k.hi = append(k.hi, warnedNum{value, text})
		warning = warning[m[5]:]
	}
}

// Add merges other into k. It returns false if the two differ in more than numbers.
func (k *WarningKind) Add(other *WarningKind) bool {
	if strings.Join(k.text, "#") != strings.Join(other.text, "#") {
		return false
	}
	for i, n := range other.lo {
		if n.value < k.lo[i].value {
			k.lo[i] = n
		}
		if n.value > k.hi[i].value {
			k.hi[i] = n
		}
	}
	return true
}

// String returns the warning. Numbers that differ become ranges: 4..8.
func (k *WarningKind) String() string {
	var b strings.Builder
	for i, text := range k.text {
		b.WriteString(text)
		if i == len(k.lo) {
			break
		}
		b.WriteString(k.lo[i].text)
		if k.lo[i].text != k.hi[i].text {
			b.WriteString(".." + k.hi[i].text)
		}
	}
	return b.String()
}

// WarningKinds joins warnings that differ only in their numbers.
func WarningKinds(warnings []error) (kinds []*WarningKind) {
next:
	for _, warning := range warnings {
		one := NewWarningKind(strings.TrimSpace(warning.Error()))
		for _, k := range kinds {
			if k.Add(one) {
				continue next
			}
		}
		kinds = append(kinds, one)
	}
	return kinds
}
