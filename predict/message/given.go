package message

import (
	"fmt"
	"math"
	"strings"

	"spoor/calibrate/param"
	"spoor/traces/unit"
)

// ParseParam reads a parameter that is given as NAME=VALUE, a time with or without what it is for: M1_alpha=20us, M1_beta=1.2ns/B.
func ParseParam(text string) (param.Param, error) {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return param.Param{}, fmt.Errorf("it is not NAME=VALUE")
	}
	time, per, divided := strings.Cut(strings.TrimSpace(value), "/")
	seconds, err := unit.Parse(time, "s")
	if err != nil {
		return param.Param{}, fmt.Errorf("%w; a value is a time, such as 20us, or one per byte, 1.2ns/B, per line, page, access or op", err)
	}
	p := param.Param{Name: strings.TrimSpace(name), Value: seconds, Unit: "s", Lo: math.NaN(), Hi: math.NaN(), Method: "given"}
	if divided {
		p.Unit += "/" + strings.TrimSpace(per)
	}
	return p, p.Check()
}
