package store

import "sync"

// sharedBatches holds decoded batches of several processors: those that iterations use, and the last of the others. So
// processors that are read one after the other, or side by side, decode a batch once.
type sharedBatches struct {
	lock   sync.Mutex
	byID   map[int]*sharedBatch
	idle   []int // batches that no iteration uses, the last used at the end
	weight int   // rows of idle ones
}

// sharedBatch is a decoded batch. Nobody changes it.
type sharedBatch struct {
	slot  eventsSlot
	err   error
	ready chan struct{}
	users int
}

// mostIdle is the number of rows of batches that no iteration uses. A row takes about 30 bytes.
const mostIdle = 1 << 19

// get returns a batch, which the caller releases.
func (s *sharedBatches) get(p *part, i int, decode func(d *decoder, s *eventsSlot, i int) error) (*eventsSlot, error) {
	s.lock.Lock()
	b := s.byID[i]
	if b == nil {
		b = &sharedBatch{ready: make(chan struct{}), users: 1}
		if s.byID == nil {
			s.byID = map[int]*sharedBatch{}
		}
		s.byID[i] = b
		s.lock.Unlock()
		b.err = b.read(p, i, decode)
		close(b.ready)
	} else {
		if b.users++; b.users == 1 {
			s.wake(i)
		}
		s.lock.Unlock()
		<-b.ready
	}
	if b.err != nil {
		s.release(i)
		return nil, b.err
	}
	return &b.slot, nil
}

// read decodes a batch.
func (b *sharedBatch) read(p *part, i int, decode func(d *decoder, s *eventsSlot, i int) error) error {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	err := d.load(p.file, i)
	if err == nil {
		err = decode(d, &b.slot, i)
	}
	if err != nil {
		return p.batchError(i, err)
	}
	return nil
}

// wake takes batch i from the idle ones.
func (s *sharedBatches) wake(i int) {
	for at, j := range s.idle {
		if j == i {
			s.idle = append(s.idle[:at], s.idle[at+1:]...)
			s.weight -= s.byID[i].slot.Len()
			return
		}
	}
}

// release ends the use of a batch.
func (s *sharedBatches) release(i int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	b := s.byID[i]
	if b.users--; b.users > 0 {
		return
	}
	if b.err != nil {
		delete(s.byID, i)
		return
	}
	s.idle = append(s.idle, i)
	for s.weight += b.slot.Len(); s.weight > mostIdle && len(s.idle) > 1; s.idle = s.idle[1:] {
		s.weight -= s.byID[s.idle[0]].slot.Len()
		delete(s.byID, s.idle[0])
	}
}
