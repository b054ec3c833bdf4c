package engine

import "spoor/traces/unit"

// causes are why mails come and pending operations end.
type causes struct {
	now      Cause // of what happens now
	mails    []Cause
	pendings []Cause
}

// because says that what happens now does so because of what a rank did until a time.
func (e *engine) because(by int32, since unit.Picos) {
	if e.obs != nil {
		e.causes.now = Cause{By: by, Since: since}
	}
}

// becauseOf says that what happens now does so because a mail has come.
func (e *engine) becauseOf(mail int32) {
	if e.obs != nil {
		e.causes.now = e.causes.mails[mail]
	}
}

// keepCause notes the cause of what happens now as that of number i.
func (e *engine) keepCause(all *[]Cause, i int32) {
	if e.obs == nil {
		return
	}
	for len(*all) <= int(i) {
		*all = append(*all, Cause{})
	}
	(*all)[i] = e.causes.now
}
