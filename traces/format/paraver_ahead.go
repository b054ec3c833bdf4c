package format

// prvStage is what happens next with a message.
type prvStage uint8

const (
	prvSending    prvStage = iota
	prvPosting             // at its logical receive
	prvReceiving           // at its physical receive
	prvCompleting          // of its request
	prvDone
)

// prvItem is something that happens to a rank at a time that has not come yet.
type prvItem struct {
	time  int64
	seq   int64
	stage prvStage
	after int // serial of the call to complete
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
