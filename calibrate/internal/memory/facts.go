package memory

import (
	"fmt"
	"strconv"
	"strings"

	"spoor/calibrate/internal/host"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Facts are the properties that a host reports.
type Facts struct {
	Processors int
	Memory     unit.Bytes // 0: not reported
	Huge       bool       // regions are in pages of 2 MiB
	Trip       unit.Seconds
	Kernel     []host.KernelCache
}

const (
	factProcessors = "processors"
	factMemory     = "memory"
	factHuge       = "huge pages"
	factTrip       = "round trip"
	factKernel     = "kernel cache "
	kernelFormat   = "L%d %dB line %dB ways %d shared by %d"
)

// List returns the facts for a table.
func (f *Facts) List() []trace.Arg {
	list := []trace.Arg{
		{Key: factProcessors, Value: strconv.Itoa(f.Processors)},
		{Key: factMemory, Value: f.Memory.String()},
		{Key: factHuge, Value: strconv.FormatBool(f.Huge)},
		{Key: factTrip, Value: strconv.FormatFloat(float64(f.Trip), 'g', -1, 64)},
	}
	for i, c := range f.Kernel {
		list = append(list, trace.Arg{Key: factKernel + strconv.Itoa(i), Value: fmt.Sprintf(kernelFormat, c.Level, c.Size, c.Line, c.Ways, c.Shared)})
	}
	return list
}

// readFacts reads the facts of a table.
func readFacts(t *store.Table) (*Facts, error) {
	f := &Facts{}
	for _, a := range t.Meta {
		var err error
		switch {
		case a.Key == factProcessors:
			f.Processors, err = strconv.Atoi(a.Value)
		case a.Key == factMemory:
			f.Memory, err = unit.ParseBytes(a.Value)
		case a.Key == factHuge:
			f.Huge, err = strconv.ParseBool(a.Value)
		case a.Key == factTrip:
			var s float64
			s, err = strconv.ParseFloat(a.Value, 64)
			f.Trip = unit.Seconds(s)
		case strings.HasPrefix(a.Key, factKernel):
			var c host.KernelCache
			_, err = fmt.Sscanf(a.Value, kernelFormat, &c.Level, (*int64)(&c.Size), (*int64)(&c.Line), &c.Ways, &c.Shared)
			f.Kernel = append(f.Kernel, c)
		}
		if err != nil {
			return nil, fmt.Errorf("fact %s: %q: %w", a.Key, a.Value, err)
		}
	}
	if f.Processors < 1 {
		return nil, fmt.Errorf("fact %s: is missing, or less than 1", factProcessors)
	}
	return f, nil
}
