package memory

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"spoor/calibrate/internal/host"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// native runs the experiments on this host.
type native struct {
	*host.Local
	largest unit.Bytes
	region  []byte // in huge pages if the kernel has them
	pages   []byte // in small pages
	out     []int32
	huge    bool
	facts   Facts
	sink    uint64
}

// Bounds of the largest region: a part of the memory, and of its free part.
const (
	mostRegion  = unit.Bytes(512 << 20)
	leastRegion = unit.Bytes(16 << 20)
	timesLast   = 4 // times the last cache
	ofFree      = 4 // share of the free memory is 1/ofFree
)

// Open prepares this host. The largest region is four times the last cache that the kernel reports, if memory
// suffices. The function that it returns releases everything.
func Open() (Bench, unit.Bytes, func() error, error) {
	allowed, err := host.Allowed()
	if err != nil {
		return nil, 0, nil, err
	}
	local, err := host.Open()
	if err != nil {
		return nil, 0, nil, err
	}
	b := &native{Local: local, largest: 128 << 20, out: make([]int32, gathered)}
	var free unit.Bytes
	b.facts.Processors = len(allowed)
	b.facts.Memory, free = host.Memory(os.DirFS("/proc"))
	b.facts.Kernel = host.KernelCaches(os.DirFS("/sys/devices/system/cpu"), local.CPU)
	if n := len(b.facts.Kernel); n > 0 {
		b.largest = min(max(timesLast*b.facts.Kernel[n-1].Size, leastRegion), mostRegion)
	}
	if free > 0 && b.largest > free/ofFree {
		return nil, 0, nil, errors.Join(fmt.Errorf("regions up to %v are needed, which is more than a quarter of the %v of free memory", b.largest, free), b.Close())
	}
	return b, b.largest, b.Close, nil
}

// Close releases all memory.
func (b *native) Close() error { return errors.Join(b.unmap(), b.Local.Close()) }

func (b *native) unmap() error {
	var err error
	for _, m := range []*[]byte{&b.region, &b.pages} {
		if *m != nil {
			err = errors.Join(err, syscall.Munmap(*m))
		}
		*m = nil
	}
	return err
}

// Launch maps new memory before it releases the old, so that the pages differ, and touches it.
func (b *native) Launch(int) error {
	region, err := mapped(int(b.largest), madvHuge)
	if err != nil {
		return err
	}
	pages, err := mapped(mostPages*int(page), madvSmall)
	if err != nil {
		return errors.Join(err, syscall.Munmap(region))
	}
	touch(region)
	touch(pages)
	err = b.unmap()
	b.region, b.pages = region, pages
	b.huge = inHugePages(&region[0])
	b.facts.Huge = b.huge
	if s := b.Sentinel(); s > 0 && (b.facts.Trip == 0 || s < b.facts.Trip) {
		b.facts.Trip = s
	}
	return err
}

// Facts returns the facts of this host.
func (b *native) Facts() []trace.Arg { return b.facts.List() }

// Page sizes to advise the kernel of.
const (
	madvHuge  = syscall.MADV_HUGEPAGE
	madvSmall = syscall.MADV_NOHUGEPAGE
	hugePage  = 2 << 20
)

func mapped(size, advice int) ([]byte, error) {
	m, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("mapping %v of memory: %w", unit.Bytes(size), err)
	}
	_ = syscall.Madvise(m, advice) // fails on kernels without huge pages
	return m, nil
}

func touch(m []byte) {
	for i := 0; i < len(m); i += int(page) {
		m[i] = 1
	}
}

// inHugePages reports whether most of the mapping at p is in huge pages.
func inHugePages(p *byte) bool {
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return false
	}
	var first, last, size, huge uint64
	at, here := uint64(uintptr(unsafe.Pointer(p))), false
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "%x-%x ", &first, &last); n == 2 {
			here = first <= at && at < last
			size = last - first
		}
		if n, _ := fmt.Sscanf(line, "AnonHugePages: %d kB", &huge); here && n == 1 {
			return 10*1024*huge >= 8*size
		}
	}
	return false
}

// Trial prepares an experiment.
func (b *native) Trial(p Point, r *rand.Rand) (host.Trial, error) {
	switch p.Kind {
	case Chase, Pair, Pages:
		return b.chase(p, r), nil
	case Chains:
		return b.chains(p, r), nil
	case Behind:
		return b.behind(p, r), nil
	case Read:
		return b.read(p), nil
	case Gather:
		return b.gather(p), nil
	case Touch:
		return b.firstTouch(p), nil
	case Clock:
		return b.repeated(func(n int) { b.sink += chain(n, b.sink|1, b.sink) }, 1), nil
	case Loop:
		x := floats(b.region[:p.Region])
		half := len(x) / 2
		return b.repeated(func(n int) {
			for range n {
				b.sink += uint64(dot(x[:half], x[half:]))
			}
		}, half*loopInstructions), nil
	}
	return nil, fmt.Errorf("unknown experiment %q", p.Kind)
}

// Times of a trial: long compared with reading the clock, short compared with a time slice.
const (
	trialTime = unit.Seconds(40e-6)
	mostRuns  = 1 << 16
)

// repeated returns a trial of f(n), which performs operations n times. It chooses n so that a trial takes about
// trialTime.
func (b *native) repeated(f func(n int), operations int) host.Trial {
	f(unrolled)
	once := unit.Seconds(1)
	for range 3 {
		once = min(once, b.Time(func() { f(unrolled) })/unrolled)
	}
	n := mostRuns
	if once > 0 {
		n = min(int(trialTime/once), mostRuns)
	}
	n = max(n/unrolled, 1) * unrolled
	return func() unit.Seconds {
		return b.Time(func() { f(n) }) / unit.Seconds(n*operations)
	}
}

// words and the others are views of mapped memory, which never moves.
func words(m []byte) []uint64   { return unsafe.Slice((*uint64)(unsafe.Pointer(&m[0])), len(m)/8) }
func floats(m []byte) []float64 { return unsafe.Slice((*float64)(unsafe.Pointer(&m[0])), len(m)/8) }
func ints(m []byte) []int32     { return unsafe.Slice((*int32)(unsafe.Pointer(&m[0])), len(m)/4) }

// read returns a trial that reads on from the end of the previous one, 64 KiB or the region at a time.
func (b *native) read(p Point) host.Trial {
	m := words(b.region[:p.Region])
	part := min(len(m), 64<<10/8)
	b.sink += sum(m)
	next := 0
	return b.repeated(func(n int) {
		for range n {
			b.sink += sum(m[next : next+part])
			if next += part; next+part > len(m) {
				next = 0
			}
		}
	}, part*8)
}

func sum(m []uint64) uint64 {
	var a, b, c, d uint64
	for ; len(m) >= 8; m = m[8:] {
		a += m[0] + m[4]
		b += m[1] + m[5]
		c += m[2] + m[6]
		d += m[3] + m[7]
	}
	return a + b + c + d
}

func (b *native) gather(p Point) host.Trial {
	step := int(p.Stride / item)
	from := ints(b.region[:min(int64(len(b.region)), int64(p.Region))])
	n := min(gathered, (len(from)-1)/step+1)
	return b.repeated(func(times int) {
		for range times {
			gather(b.out[:n], from, step)
		}
	}, n)
}

func gather(out, from []int32, step int) {
	j := 0
	for i := range out {
		out[i] = from[j]
		j += step
	}
}

// firstTouch returns a trial that maps the pages again for each run.
func (b *native) firstTouch(p Point) host.Trial {
	return func() unit.Seconds {
		m, err := mapped(int(p.Region), madvSmall)
		if err != nil {
			return 0 // no sample has this time
		}
		t := b.Time(func() { touch(m) })
		if syscall.Munmap(m) != nil {
			return 0
		}
		return t / unit.Seconds(p.Region/page)
	}
}

// chain performs n operations, each of which depends on the previous one.
func chain(n int, x, y uint64) uint64 {
	for ; n > 0; n -= unrolled {
		y = (((y + x) ^ x) + x) ^ x
		y = (((y + x) ^ x) + x) ^ x
		y = (((y + x) ^ x) + x) ^ x
		y = (((y + x) ^ x) + x) ^ x
	}
	return y
}

func dot(x, y []float64) (s float64) {
	y = y[:len(x)]
	for i, v := range x {
		s += v * y[i]
	}
	return s
}
