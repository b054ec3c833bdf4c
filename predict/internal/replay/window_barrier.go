package replay

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// spinBarrier is a barrier of workers that meet more often than a host can put them to sleep. A worker looks for a while whether the
// others have come, and then sleeps, because the host may have given their core to somebody else.
type spinBarrier struct {
	members  int32
	spins    int // how often a worker looks before it sleeps
	_        [60]byte
	there    atomic.Int32
	_        [60]byte
	round    atomic.Uint32
	_        [60]byte
	sleeping atomic.Int32
	lock     sync.Mutex
	waking   sync.Cond
}

// spins is how often a worker looks before it sleeps, some ten microseconds. If there are more workers than cores, looking only
// keeps the others from their core.
const spins = 1 << 14

func newSpinBarrier(members int) *spinBarrier {
	b := &spinBarrier{members: int32(members)}
	if members <= runtime.GOMAXPROCS(0) {
		b.spins = spins
	}
	b.waking.L = &b.lock
	return b
}

// wait returns when all members have called it.
func (b *spinBarrier) wait() {
	if b.members == 1 {
		return
	}
	round := b.round.Load()
	if b.there.Add(1) == b.members {
		b.there.Store(0)
		b.round.Add(1)
		if b.sleeping.Load() > 0 {
			b.lock.Lock()
			b.waking.Broadcast()
			b.lock.Unlock()
		}
		return
	}
	for range b.spins {
		if b.round.Load() != round {
			return
		}
	}
	b.lock.Lock()
	b.sleeping.Add(1)
	for b.round.Load() == round {
		b.waking.Wait()
	}
	b.sleeping.Add(-1)
	b.lock.Unlock()
}
