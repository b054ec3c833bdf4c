package host

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spoor/traces/unit"
)

// scripted is a host whose samples are known: every call takes a microsecond.
type scripted struct {
	now       unit.Seconds
	sentinels func() unit.Seconds
	switches  int64
	stolen    float64
}

func (h *scripted) Now() unit.Seconds      { h.now += 1e-6; return h.now }
func (h *scripted) Sentinel() unit.Seconds { return h.sentinels() }
func (h *scripted) Switches() int64        { return h.switches }

func (h *scripted) Watch(d unit.Seconds) (watched, stolen unit.Seconds) {
	return d, d * unit.Seconds(h.stolen)
}

func always(s unit.Seconds) func() unit.Seconds { return func() unit.Seconds { return s } }

func Example() {
	h := &scripted{sentinels: always(110e-9), stolen: 0.25}
	s := &Sampler{Host: h, Rules: Strict}
	s.Take(0, 0, func() unit.Seconds { return 5e-9 })
	fmt.Println(len(s.Samples), "samples")
	fmt.Println(Check(h).Refuse(MaxStolen))
	// Output:
	// 15 samples
	// too noisy: 25 % of 300ms was stolen by other work, more than 20 %; wait until the host is idle; no parameters
}

// Samples are taken until the three smallest agree, disturbed ones do not count, and there is an end to it.
func TestSampler(t *testing.T) {
	for _, c := range []struct {
		name    string
		time    func(i int, h *scripted) unit.Seconds
		samples int
		ok      bool
	}{
		{"alike", func(int, *scripted) unit.Seconds { return 1 }, 15, true},
		{"three that are faster", func(i int, _ *scripted) unit.Seconds {
			if i == 3 || i == 4 || i == 22 {
				return 0.9
			}
			return 1
		}, 23, true},
		{"never alike", func(i int, _ *scripted) unit.Seconds { return 1 / unit.Seconds(1+i) }, 60, true},
		{"every second disturbed", func(i int, h *scripted) unit.Seconds { h.switches += int64(i % 2); return 1 }, 29, true},
		{"nothing measured", func(int, *scripted) unit.Seconds { return 0 }, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &scripted{sentinels: always(1e-7)}
			s := &Sampler{Host: h, Rules: Strict}
			i := -1
			ok := s.Take(3, 2, func() unit.Seconds { i++; return c.time(i, h) })
			if ok != c.ok || c.samples >= 0 && len(s.Samples) != c.samples {
				t.Errorf("%d samples, %v; want %d, %v", len(s.Samples), ok, c.samples, c.ok)
			}
			if last := s.Samples[len(s.Samples)-1]; last.Point != 3 || last.Launch != 2 || last.Rep != len(s.Samples)-1 {
				t.Errorf("the last sample is %+v", last)
			}
		})
	}
}

// Points that were taken in another state than the wanted one are short.
func TestSamplerWantsAState(t *testing.T) {
	trip := unit.Seconds(110e-9)
	h := &scripted{sentinels: func() unit.Seconds { return trip }}
	s := &Sampler{Host: h, Rules: Strict}
	trial := func() unit.Seconds { return 1 }
	s.Take(0, 0, trial)
	s.Take(1, 0, trial)
	trip = 800e-9
	s.Take(2, 0, trial)
	s.Settle()
	if s.Wanted() != "s1" || s.Short(0, 0) || s.Short(1, 0) || !s.Short(2, 0) {
		t.Errorf("wanted %q; short: %v %v %v", s.Wanted(), s.Short(0, 0), s.Short(1, 0), s.Short(2, 0))
	}
	before := len(s.Samples)
	s.Take(2, 0, trial)
	if n := len(s.Samples) - before; n != 2*Strict.Most || !s.Short(2, 0) {
		t.Errorf("%d samples in a state that is not wanted", n)
	}
	trip = 115e-9
	s.Take(2, 0, trial)
	if s.Settle(); s.Short(2, 0) {
		t.Error("still short")
	}
}

func TestStates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	draw := func(list ...float64) (out []unit.Seconds) {
		for _, s := range list {
			for range 500 {
				out = append(out, unit.Seconds(s*(1+0.06*r.ExpFloat64())))
			}
		}
		return out
	}
	for _, c := range []struct {
		name      string
		sentinels []unit.Seconds
		states    int
	}{
		{"nobody answers", make([]unit.Seconds, 10), 0},
		{"one", draw(110e-9), 1},
		{"those that are known", draw(110e-9, 220e-9, 780e-9), 3},
		{"one that did not last", append(draw(slices.Repeat([]float64{780e-9}, 40)...), draw(110e-9)...), 2},
		{"strays", append(draw(110e-9), 2e-6, 3e-6, 5e-6), 1},
		{"unanswered among them", append(draw(110e-9, 780e-9), make([]unit.Seconds, 400)...), 2},
		{"a single one", draw(1e-7)[:1], 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			bounds := States(c.sentinels)
			if want := max(c.states-1, 0); len(bounds) != want || !slices.IsSorted(bounds) {
				t.Errorf("bounds %v, want %d", bounds, want)
			}
		})
	}
	bounds := States(draw(110e-9, 780e-9))
	for sentinel, want := range map[unit.Seconds]string{0: Unknown, 100e-9: "s1", 120e-9: "s1", 800e-9: "s2", 1: "s2"} {
		t.Run(fmt.Sprint(sentinel), func(t *testing.T) {
			if got := State(bounds, sentinel); got != want {
				t.Errorf("%v: state %q, want %q", sentinel, got, want)
			}
		})
	}
	if got := State(nil, 0); got != "" {
		t.Errorf("a single state is called %q", got)
	}
}

func TestCheck(t *testing.T) {
	c := Check(&scripted{sentinels: always(0), stolen: 0.1})
	if err := c.Refuse(0.2); err != nil || !strings.Contains(c.String(), "no other processor answers") {
		t.Errorf("%v, %v", c, err)
	}
	c = Check(&scripted{sentinels: always(2e-7), stolen: 0.3})
	var noisy *TooNoisyError
	if err := c.Refuse(0.2); !errors.As(err, &noisy) || !strings.Contains(c.String(), "200 of 200 answered") {
		t.Errorf("%v, %v", c, err)
	}
}

// kernel is /sys/devices/system/cpu as processors of different makes have it.
func kernel(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return out
}

func TestKernelCaches(t *testing.T) {
	k := kernel(map[string]string{
		"cpu2/cache/index0/type": "Data", "cpu2/cache/index0/level": "1", "cpu2/cache/index0/size": "48K",
		"cpu2/cache/index0/ways_of_associativity": "12", "cpu2/cache/index0/coherency_line_size": "64", "cpu2/cache/index0/shared_cpu_list": "2",
		"cpu2/cache/index1/type": "Instruction", "cpu2/cache/index1/level": "1", "cpu2/cache/index1/size": "32K",
		"cpu2/cache/index3/type": "Unified", "cpu2/cache/index3/level": "3", "cpu2/cache/index3/size": "32768K", "cpu2/cache/index3/shared_cpu_list": "0-3,8-9",
		"cpu2/cache/index4/type": "Unified", "cpu2/cache/index4/level": "4", // without a size
	})
	got := KernelCaches(k, 2)
	want := []KernelCache{{1, 48 << 10, 64, 12, 1}, {3, 32 << 20, 0, 0, 6}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := KernelCaches(k, 0); got != nil {
		t.Errorf("of a processor that is not there: %+v", got)
	}
	if got := cpuList("3-1,x,4,-2,99999999"); !slices.Equal(got, []int{4}) {
		t.Errorf("%v", got)
	}
}

func TestMemory(t *testing.T) {
	total, free := Memory(kernel(map[string]string{"meminfo": "MemTotal:       24684096 kB\nMemFree: 1 kB\nMemAvailable:   23000000 kB"}))
	if total != 24684096<<10 || free != 23000000<<10 {
		t.Errorf("%v, %v", total, free)
	}
	if total, free := Memory(kernel(nil)); total != 0 || free != 0 {
		t.Errorf("%v, %v of nothing", total, free)
	}
}

// This host runs at all; what it says is not looked at.
func TestLocal(t *testing.T) {
	l, err := Open()
	if err != nil {
		if !strings.Contains(err.Error(), "pinn") {
			t.Errorf("it cannot be measured, and the error does not say why: %v", err)
		}
		return
	}
	if watched, stolen := l.Watch(1e-4); watched < 1e-4 || stolen > watched {
		t.Errorf("watched %v, stolen %v", watched, stolen)
	}
	if s := l.Sentinel(); l.Peer < 0 && s != 0 || s < 0 {
		t.Errorf("a round trip of %v to processor %d", s, l.Peer)
	}
	if s := l.Switches(); s < 0 {
		t.Errorf("%d switches", s)
	}
	if d := l.Time(func() { l.Watch(1e-4) }); d < 0.9e-4 {
		t.Errorf("100 us take %v", d)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := Pin(1 << 9); err == nil {
		t.Error("pinned to a processor that is not there")
	}
}
