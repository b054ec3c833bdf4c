package param_test

import (
	"fmt"
	"math"
	"os"

	"spoor/calibrate/param"
)

func Example() {
	var s param.Set
	if err := s.Add(param.Param{Name: "gamma", Value: 0.25, Unit: "1", Lo: math.NaN(), Hi: math.NaN(), N: 4000,
		Method: "counted", Source: "fft.refs.arrow sha256:00"}); err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	_, err := s.Get("gamma", "B")
	fmt.Println(err)
	// Output:
	// [gamma]
	// value = 0.25
	// unit = "1"
	// n = 4000
	// method = "counted"
	// source = "fft.refs.arrow sha256:00"
	// parameter gamma has the unit "1"; it must be "B"
}
