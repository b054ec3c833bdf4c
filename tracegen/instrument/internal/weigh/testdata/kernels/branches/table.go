package branches

// steps is what interpret adds for each operation of a group.
var steps [16]int

func init() {
	for i := range steps {
		steps[i] = i * i % 7
	}
}
