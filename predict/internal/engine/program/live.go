package program

import "spoor/traces/unit"

// DirectProgram is a directly executed program: it runs during the simulation and receives the results that depend on
// time. Calls about one rank come in order of its time. With several workers, calls about several ranks are
// concurrent.
type DirectProgram interface {
	// Matched is called when a receive with a mark other than 0 gets the next message from a rank with a tag, in the
	// group of the receive.
	Matched(rank int32, mark int64, from, tag int32)
	// Arrived is called when a message comes, before Matched. at is when all of it is there, or never if it waits for
	// its receiver.
	Arrived(rank, group, from, tag int32, at unit.Picos)
	// Answered gives the answer to a query.
	Answered(rank int32, a *Answer)
	// Resumed is called when a rank has done its operations, before the engine calls Next.
	Resumed(rank int32, now unit.Picos)
}

// Concurrent is a DirectProgram whose ranks run on several workers. Each rank is only used by its worker, except that
// any worker may run its program while its own does not use it.
type Concurrent interface {
	DirectProgram
	// Divide is called before the ranks start, with the worker of each rank.
	Divide(workers int, of func(rank int32) int)
	// RunsOn is called before Next, with the worker that calls it.
	RunsOn(rank int32, worker int)
	// Deliver is called by a rank's worker while none of its ranks run. What the rank sent is there after it for other
	// ranks of the same worker.
	Deliver(rank int32)
	// Exchange is called by each worker after each barrier. What other workers' ranks sent before it is there after it.
	Exchange(worker int)
}

// Answer is the result of a query.
type Answer struct {
	Mark      int64      // of the operation
	At        unit.Picos // when it was found; for a Clock, the time
	From, Tag int32      // Probe, Iprobe: of the message
	Index     int        // WaitAny: which request, in the order of the AddToWaitAnys
	Done      bool       // Test: the request has ended; Iprobe: there is a message
}
