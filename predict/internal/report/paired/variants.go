package paired

import (
	"fmt"

	"spoor/predict/internal/report/columns"
	"spoor/traces/store"
)

// variants returns what tells rows of a simulation table apart that are of one program on one machine: the placement of
// ranks, or the job.
func variants(t *store.Table) func(row int) string {
	places, _ := store.Data[string](t, "map")
	jobs, _ := store.Data[int32](t, "job")
	return func(row int) string {
		switch {
		case row < len(places):
			return fmt.Sprintf(" [map %s]", columns.Clean(places[row]))
		case row < len(jobs):
			return fmt.Sprintf(" [job %d]", jobs[row])
		}
		return ""
	}
}
