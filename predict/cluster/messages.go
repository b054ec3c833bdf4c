package cluster

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"spoor/analyze/locality"
	"spoor/calibrate/param"
	"spoor/traces/store"
)

// PassesMessages reports whether the program of r passes messages, and whether that is known. Parameters of older
// versions do not tell.
func (r *Run) PassesMessages() (passes, known bool) {
	p, known := r.Params.Lookup(locality.MessagesParam)
	return p.Value != 0, known
}

// OnlyMessages reports whether a folder of analyze has an analysis of messages, and none of references.
func OnlyMessages(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, paramsFile)); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	t, err := store.ReadTable(filepath.Join(dir, commFile))
	return err == nil && t.Rows() > 0
}

// commFile has the messages of a run.
const commFile = "comm.arrow"

// errMessages is the warning of predictions for programs that pass messages.
var errMessages = errors.New("the program passes messages, and their time is not part of the prediction")

// sourceWarnings returns what the runs of c leave out: the time of messages, and what their recordings lack.
func (c *Case) sourceWarnings() (all []error) {
	var params []param.Param
	for _, r := range c.Runs {
		if passes, _ := r.PassesMessages(); passes && r.withoutMessages && len(all) == 0 {
			all = append(all, errMessages)
		}
		params = append(params, r.Params.All()...)
	}
	return append(all, param.Warnings(params)...)
}
