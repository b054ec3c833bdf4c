package cache

import "math/rand/v2"

var fifoPolicy = policy{Name: "fifo", Doc: "the line that came first leaves",
	make: func(g geometry, _ *rand.Rand) array { return newQueue(g, false) }}
