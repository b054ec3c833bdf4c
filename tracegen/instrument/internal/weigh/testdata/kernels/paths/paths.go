// Package paths finds shortest paths, in a matrix and by levels.
package paths

// Run returns the sum of all distances.
func Run() float64 {
	const n = 64
	d := make([][]int, n)
	for i := range d {
		d[i] = make([]int, n)
		for j := range d[i] {
			d[i][j] = (i*7+j*13)%50 + 1
			if i == j {
				d[i][j] = 0
			}
		}
	}
	floyd(d)
	sum := 0
	for _, row := range d {
		for _, v := range row {
			sum += v
		}
	}
	return float64(sum) + float64(levels(2000))/1e6
}

func floyd(d [][]int) {
	for k := range d {
		for i := range d {
			for j := range d {
				if t := d[i][k] + d[k][j]; t < d[i][j] {
					d[i][j] = t
				}
			}
		}
	}
}

func levels(n int) int {
	level := make([]int, n)
	for i := range level {
		level[i] = -1
	}
	level[0] = 0
	queue := []int{0}
	last := 0
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		last = level[v]
		for _, w := range [...]int{(v * 2) % n, (v*3 + 1) % n, (v + 17) % n} {
			if level[w] < 0 {
				level[w] = level[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return last
}
