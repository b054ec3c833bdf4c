package paraver

// prvStage is the next action on a message.
type prvStage uint8

const (
	prvSending    prvStage = iota
	prvPosting             // at its logical receive time
	prvReceiving           // at its physical receive time
	prvCompleting          // of its request
	prvDone
)

// prvItem is a future action of a rank.
type prvItem struct {
	time  int64
	seq   int64
	stage prvStage
	after int // serial number of the call to complete
	m     prvMessage
}

// prvHeap has the earliest first.
type prvHeap []prvItem

func (h prvHeap) Len() int { return len(h) }
func (h prvHeap) Less(i, j int) bool {
	return h[i].time < h[j].time || h[i].time == h[j].time && h[i].seq < h[j].seq
}
func (h prvHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *prvHeap) Push(x any)   { *h = append(*h, x.(prvItem)) }
func (h *prvHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
