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
	stage prvStage
	after int // serial number of the call to complete
	m     prvMessage
}
