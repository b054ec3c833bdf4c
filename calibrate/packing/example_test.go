package packing_test

import (
	"fmt"

	"spoor/calibrate/packing"
)

// The time of a column of a matrix of 2000 x 2000 numbers of 4 bytes, by model M1 [hur1999, Table 1].
func Example() {
	column := packing.Point{Experiment: packing.Transfer, Rows: 2000, Cols: 1, Item: 4, Stride: 8000, Blocks: 1, Bytes: 8000}
	features, err := packing.Of(&column, 32, 4096)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := packing.All[3]
	time, err := model.Predict([]float64{50e-6, 20e-9, 100e-9}, &features)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name, model.Equation())
	fmt.Printf("%.0f bytes, %.0f lines: %v\n", features.N, features.MLT, time)
	// Output:
	// M1 t = alpha + beta n + gamma MLT
	// 8000 bytes, 3000 lines: 510us
}
