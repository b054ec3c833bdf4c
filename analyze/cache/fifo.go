package cache

var fifoPolicy = Policy{Name: "fifo", Doc: "the line that came first leaves",
	make: func(g geometry, _ uint64) array { return newQueue(g, false) }}
