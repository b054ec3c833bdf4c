package cluster

import (
	"fmt"
	"strings"

	"spoor/predict/internal/model"
	"spoor/traces/store"
)

// remark is an interval or a kind of warning of a model, with the predictions that have it.
type remark struct {
	model  string
	text   *model.WarningKind
	places []string
}

// where lists the first predictions.
func (r *remark) where() string {
	const most = 3
	if n := len(r.places); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(r.places[:most], ", "), n-most)
	}
	return strings.Join(r.places, ", ")
}

// Remarks lists the meaning of the intervals and the warnings. Remarks of one kind are one row with ranges of their numbers.
func Remarks(all []model.Prediction) *store.Table {
	var list []*remark
	add := func(p model.Prediction, text string) {
		place, one := fmt.Sprintf("%d on %s", p.Processors, p.Machine), model.NewWarningKind(text)
		for _, r := range list {
			if r.model == p.Model && r.text.Add(one) {
				r.places = append(r.places, place)
				return
			}
		}
		list = append(list, &remark{p.Model, one, []string{place}})
	}
	for _, p := range all {
		if p.Interval.Known() {
			add(p, "interval: "+p.Interval.Covers)
		}
		for _, r := range p.Warnings {
			add(p, "warning: "+strings.TrimSpace(r.Error()))
		}
	}
	return &store.Table{Name: "remarks", Columns: []store.Column{
		store.ColumnOf(list, "model", "", func(r *remark) string { return r.model }),
		store.ColumnOf(list, "remark", "", func(r *remark) string { return r.text.String() }),
		store.ColumnOf(list, "processors", "", (*remark).where)}}
}
