package message

import (
	"fmt"
	"math"
	"strings"

	"spoor/calibrate/param"
	"spoor/traces/unit"
)

// ParseParam parses a parameter NAME=VALUE. The value is a time, or a time per unit: M1_alpha=20us,
// M1_beta=1.2ns/B.
func ParseParam(text string) (param.Param, error) {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return param.Param{}, fmt.Errorf("it must have the form NAME=VALUE")
	}
	time, per, divided := strings.Cut(strings.TrimSpace(value), "/")
	seconds, err := unit.Parse(time, "s")
	if err != nil {
		return param.Param{}, fmt.Errorf("%w; write a time such as 20us, or a time per B, line, page, access or op such as 1.2ns/B", err)
	}
	p := param.Param{Name: strings.TrimSpace(name), Value: seconds, Unit: "s", Lo: math.NaN(), Hi: math.NaN(), Method: "given"}
	if divided {
		p.Unit += "/" + strings.TrimSpace(per)
	}
	return p, p.Check()
}
