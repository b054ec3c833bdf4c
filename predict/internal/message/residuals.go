package message

import (
	"errors"
	"fmt"
	"math"

	"spoor/calibrate/packing"
	"spoor/traces/store"
)

// ReadResiduals reads the table of residuals that calibrate fit writes next to the parameters.
func ReadResiduals(path string) ([]Residual, error) {
	t, err := store.ReadTable(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	out, err := residuals(t)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return out, nil
}

func residuals(t *store.Table) (out []Residual, err error) {
	if t.Name != "fit" {
		return nil, fmt.Errorf("a %s table, not a fit table", t.Name)
	}
	var experiment, state, model, method []string
	var bytes []int64
	var measured, predicted []float64
	var errs []error
	take(t, "experiment", &experiment, &errs)
	take(t, "state", &state, &errs)
	take(t, "model", &model, &errs)
	take(t, "method", &method, &errs)
	take(t, "bytes", &bytes, &errs)
	take(t, "measured", &measured, &errs)
	take(t, "predicted", &predicted, &errs)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for i := range measured {
		if e := measured[i]/predicted[i] - 1; predicted[i] > 0 && !math.IsNaN(e) && !math.IsInf(e, 0) {
			out = append(out, Residual{packing.Experiment(experiment[i]), state[i], model[i], method[i], bytes[i], e})
		}
	}
	return out, nil
}
