package observe

// Part is a part of a processor's time.
type Part uint8

// The parts. The zero Part is not legal.
//
// Differs: over Model.Net with ports (logp), the Contention of a sender includes the wait at the receiver's port, up
// to the sender's own wait. This concerns senders that wait until their message has left. The reason is that a
// Delivery does not separate the two.
const (
	Computing Part = 1 + iota
	Overhead       // o_s, o_r and the Extra of operations
	Latency        // waiting for a message in flight
	// waiting for a message that waited for ports, links or earlier messages of its sender; or for the own port
	Contention
	Waiting // for a message that was not sent yet, and all other waits

	// Parts that only a CoSimulator simulates. For the engine they are part of Computing.
	MemoryLatency    // waiting for the memory system, if no other processor uses it
	MemoryContention // waiting for the memory system because others use it
	Sync             // waiting at barriers, for locks, flags and tasks in shared memory
	EndPart
)

// endMessagePart is the end of the parts that the engine simulates.
const EndMessagePart = Waiting + 1

// String returns the name of the part.
func (p Part) String() string {
	return [...]string{"invalid", "ideal", "overhead", "message_latency", "message_contention", "wait", "memory_latency", "memory_contention", "sync"}[min(p, EndPart)%EndPart]
}
