package analysis

import "sync"

// feeder feeds the shards of one order. Where there are several cores, the shards look at a
// long piece at the same time, each on a goroutine of its own.
type feeder struct {
	shards []Shard
	apart  bool
	meter  *meter
	piece  Piece
	errs   []error // by shard
	busy   sync.WaitGroup
}

// longPiece is how many references are worth goroutines.
const longPiece = 1 << 12

func newFeeder(shards []Shard, apart bool, m *meter) *feeder {
	return &feeder{shards: shards, apart: apart, meter: m, errs: make([]error, len(shards))}
}

// feed shows the piece to the shards, which may go on looking at it until wait.
func (f *feeder) feed(p Piece) {
	f.piece = p
	f.meter.count(p.Refs.Len())
	for i, s := range f.shards {
		if f.apart && p.Refs.Len() >= longPiece {
			f.busy.Go(func() { f.errs[i] = s.Add(&f.piece) })
		} else if f.errs[i] = s.Add(&f.piece); f.errs[i] != nil {
			return
		}
	}
}

// wait waits until all shards have seen the piece.
func (f *feeder) wait() error {
	f.busy.Wait()
	return f.failed()
}

// failed is the error of the first shard that has one.
func (f *feeder) failed() error {
	for _, err := range f.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// end ends the shards.
func (f *feeder) end() error {
	for i, s := range f.shards {
		if f.apart {
			f.busy.Go(func() { f.errs[i] = s.End() })
		} else if f.errs[i] = s.End(); f.errs[i] != nil {
			break
		}
	}
	return f.wait()
}
