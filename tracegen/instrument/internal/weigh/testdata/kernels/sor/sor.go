// Package sor relaxes a grid in red and black order.
package sor

import "math"

// Run relaxes until the change is small and returns the number of sweeps.
func Run() float64 {
	const g = 50
	grid := make([]float64, (g+2)*(g+2))
	for i := range g + 2 {
		grid[i] = 1
	}
	for sweep := 1; ; sweep++ {
		change := half(grid, g, 0) + half(grid, g, 1)
		if change < 1e-3 || sweep == 200 {
			return float64(sweep) + grid[len(grid)/2]
		}
	}
}

func half(grid []float64, g, parity int) float64 {
	const omega = 1.5
	n := g + 2
	change := 0.0
	for i := 1; i <= g; i++ {
		for j := 1 + (i+parity)%2; j <= g; j += 2 {
			old := grid[i*n+j]
			mean := (grid[(i-1)*n+j] + grid[(i+1)*n+j] + grid[i*n+j-1] + grid[i*n+j+1]) / 4
			grid[i*n+j] = old + omega*(mean-old)
			change = math.Max(change, math.Abs(grid[i*n+j]-old))
		}
	}
	return change
}
