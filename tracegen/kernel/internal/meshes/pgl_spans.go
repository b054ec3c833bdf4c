package meshes

import (
	"math"

	"spoor/tracegen/spmd"
)

// renderer is the state of one rank for sending, receiving and drawing spans.
type renderer struct {
	r                   *spmd.Rank
	size, procs, buffer int
	picture             []uint32 // this rank's lines of the frame
	nearest             []uint64 // of each pixel: depth and, in the lower half, the number of its triangle
	in                  []span   // receive buffer of the next message
	out                 []span   // the message to each rank
	filled              []int    // spans in each of them
	frame               int
	awaited             int // ranks whose last message has not arrived
	coming              *spmd.Request
}

// start begins a frame. The frame's number is the tag of its messages, because other ranks may already be at the
// next frame.
func (s *renderer) start(picture []uint32, frame int) {
	s.picture, s.frame, s.awaited = picture, frame, s.procs-1
	nearest := s.nearest
	for i := range nearest {
		nearest[i] = math.MaxUint64
	}
	s.await()
}

// await posts the next receive, unless all messages have arrived.
func (s *renderer) await() {
	if s.awaited > 0 {
		s.coming = spmd.Irecv(s.r, spmd.Any, s.frame, s.in)
	}
}

// cut sends or draws the spans of a projected triangle. A line belongs to it if the line is at or below its first
// corner and above its last.
func (s *renderer) cut(t *triangle, number int32) {
	last := int(math.Ceil(t[2].y))
	for line := int(math.Ceil(t[0].y)); line < last; line++ {
		part := spanOf(t, line)
		if part.left >= part.right {
			continue
		}
		part.triangle = number
		if owner := line % s.procs; owner == s.r.ID() {
			s.draw(&part)
		} else {
			s.send(owner, &part)
		}
	}
}

// send adds a span to the message to its owner, and sends the message when it is full.
func (s *renderer) send(owner int, part *span) {
	message := s.out[owner*s.buffer : (owner+1)*s.buffer]
	message[s.filled[owner]] = *part
	s.filled[owner]++
	if s.filled[owner] == s.buffer {
		spmd.Send(s.r, owner, s.frame, message)
		s.filled[owner] = 0
	}
}

// poll draws the spans that have arrived.
func (s *renderer) poll() {
	for s.awaited > 0 {
		status, done := s.coming.Test()
		if !done {
			return
		}
		s.receive(status.Count)
	}
}

// receive draws the spans of a message that arrived, and awaits the next.
func (s *renderer) receive(count int) {
	in := s.in[:count]
	for i := range in {
		s.draw(&in[i])
	}
	if count < s.buffer {
		s.awaited--
	}
	s.await()
}

// finish sends the last messages of the frame, which are not full and may be empty. It begins with the next rank,
// so that not all ranks send to the same one. Then it draws the spans that still arrive.
func (s *renderer) finish() {
	for i := 1; i < s.procs; i++ {
		owner := (s.r.ID() + i) % s.procs
		spmd.Send(s.r, owner, s.frame, s.out[owner*s.buffer:owner*s.buffer+s.filled[owner]])
		s.filled[owner] = 0
	}
	for s.awaited > 0 {
		s.receive(s.coming.Wait().Count)
	}
}

// draw colours the pixels of a span that are nearer than the current ones.
func (s *renderer) draw(part *span) {
	at := int(part.line)/s.procs*s.size + int(part.left)
	width := part.right - part.left
	nearest, picture := s.nearest[at:at+int(width)], s.picture[at:at+int(width)]
	depth, red, green, blue := part.from.depth, part.from.red, part.from.green, part.from.blue
	deeper := (part.to.depth - depth) / width
	redder := (part.to.red - red) / width
	greener := (part.to.green - green) / width
	bluer := (part.to.blue - blue) / width
	for i := range nearest {
		if key := uint64(depth)<<32 | uint64(part.triangle); key < nearest[i] {
			nearest[i] = key
			picture[i] = uint32(red>>16)<<16 | uint32(green>>16)<<8 | uint32(blue>>16)
		}
		depth += deeper
		red += redder
		green += greener
		blue += bluer
	}
}
