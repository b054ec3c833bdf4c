package grow

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// compare predicts a recording and returns by which share the predicted computation differs. It returns an error with the
// first event whose message differs.
func (p *Pattern) compare(r Recording) (share float64, err error) {
	g := p.Grow(len(r.Rows))
	predicted, recorded := 0., 0.
	for rank, rows := range r.Rows {
		grown, err := g.Rank(rank)
		if err != nil {
			return 0, &failedParse{err, 1}
		}
		for i := range max(len(rows), len(grown)) {
			if i >= len(rows) || i >= len(grown) || !sameMessage(&grown[i], &rows[i]) {
				return 0, &failedParse{&MisfitError{r.Name, rank, i, "the other recordings predict " + at(grown, i, rank) + ", but recorded is " +
					at(rows, i, rank) + "; record the program at more numbers of ranks if it has a pattern"}, 1}
			}
			predicted += float64(grown[i].Instr) + float64(grown[i].Work)
			recorded += float64(rows[i].Instr) + float64(rows[i].Work)
		}
	}
	return math.Abs(predicted-recorded) / max(recorded, 1), nil
}

// sameMessage reports whether two events are equal but for computation, the layout of buffers and the numbers of requests.
func sameMessage(a, b *trace.Event) bool {
	return a.Kind == b.Kind && a.Peer == b.Peer && a.Tag == b.Tag && a.Group == b.Group && a.Bytes == b.Bytes &&
		(a.Request == trace.None) == (b.Request == trace.None)
}

// at describes row i, or says that there is none.
func at(rows []trace.Event, i, rank int) string {
	if i >= len(rows) {
		return fmt.Sprintf("the end after %d rows", len(rows))
	}
	return "a " + describe(&rows[i], rank)
}
