package timeline

import (
	"spoor/traces/format"
	"spoor/traces/trace"
)

// messageKey identifies messages that do not overtake each other.
type messageKey struct{ from, to, tag, group int32 }

// Messages returns the messages that receives of src got.
func (t *Times) Messages(src trace.Source) ([]format.Message, error) {
	sent, got := map[messageKey][]format.Message{}, make([][]format.Message, len(t.ranks))
	for p := range t.ranks {
		rows, graph, err := rowsOf(src, trace.Proc(p))
		if err != nil {
			return nil, err
		}
		t.ranks[p].sends(trace.Proc(p), rows, graph, sent)
		got[p] = t.ranks[p].receives(rows, graph)
	}
	var all []format.Message
	for p := range t.ranks {
		for i, by := range t.ranks[p].matches {
			l := messageKey{by.from, int32(p), by.tag, by.group}
			if len(sent[l]) == 0 {
				continue // its sender is no event of src
			}
			m, end := sent[l][0], got[p][i]
			sent[l] = sent[l][1:]
			m.Posted, m.Taken, m.Received = end.Posted, end.Taken, end.Received
			if m.Received < 0 { // no operation waited for it
				m.Received = max(m.Posted, m.SentEnd)
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// sends appends the messages that processor p sent, in order.
func (r *observedRank) sends(p trace.Proc, rows []trace.Event, graph bool, into map[messageKey][]format.Message) {
	for _, it := range r.items {
		if it.row < 0 || rows[it.row].Kind != trace.Send && rows[it.row].Kind != trace.Isend {
			continue
		}
		e := &rows[it.row]
		l, s := messageKey{int32(p), e.Peer, e.Tag, e.Group}, it.visible(e.Kind, graph)
		into[l] = append(into[l], format.Message{From: p, To: trace.Proc(e.Peer), Tag: e.Tag, Group: e.Group, Bytes: e.Bytes,
			Sent: int64(s.from), SentEnd: int64(s.to)})
	}
}

// receives returns when each of the matches was posted, taken up and received. Received is -1 if no operation waited
// for it.
func (r *observedRank) receives(rows []trace.Event, graph bool) (all []format.Message) {
	waits, open := map[int64]int64{}, map[int32]int64{} // rows by rows, and rows by requests
	for i := range rows {
		switch e := &rows[i]; {
		case e.Kind == trace.Irecv:
			open[e.Request] = int64(i)
		case e.Kind == trace.Wait || e.Kind == trace.Test && e.Count > 0:
			if opened, is := open[e.Request]; is {
				waits[opened] = int64(i)
				delete(open, e.Request)
			}
		}
	}
	for _, by := range r.matches {
		posted := r.at(by.row, rows, graph)
		m := format.Message{Posted: int64(posted.from), Taken: int64(posted.from), Received: int64(posted.to)}
		if rows[by.row].Kind == trace.Irecv {
			m.Received = -1
			if w, is := waits[by.row]; is {
				taken := r.at(w, rows, graph)
				m.Taken, m.Received = int64(taken.from), int64(taken.to)
			}
		}
		all = append(all, m)
	}
	return all
}

// at returns the visible interval of the event of a row.
func (r *observedRank) at(row int64, rows []trace.Event, graph bool) interval {
	if int(row) >= len(r.itemOf) || r.itemOf[row] < 0 {
		return interval{}
	}
	return r.items[r.itemOf[row]].visible(rows[row].Kind, graph)
}
