package stage

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows how far a command is, with rate and time left, when standard
// error is a terminal.
type Progress struct {
	bar *progressbar.ProgressBar
	env *Env
}

// Bytes are steps that Progress counts in multiples.
const Bytes = "bytes"

// Progress starts a display of total steps (-1 if nobody knows), called what. Steps are Bytes,
// or what else their plural says.
func (e *Env) Progress(what string, total int64, steps string) *Progress {
	f, ok := e.Err.(*os.File)
	if e.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return &Progress{}
	}
	rate := progressbar.OptionShowIts()
	if steps == Bytes {
		rate = progressbar.OptionShowBytes(true)
	}
	bar := progressbar.NewOptions64(total, rate, progressbar.OptionSetItsString(steps), progressbar.OptionShowCount(),
		progressbar.OptionSetWriter(e.Err), progressbar.OptionSetDescription(what),
		progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())
	// Time begins when it is first shown: with steps already done, the first rate would be without bounds.
	_ = bar.RenderBlank()
	p := &Progress{bar, e}
	e.shown.Store(p)
	return p
}

// hide clears the display until there are more steps, so that other text can be written; p may be nil.
func (p *Progress) hide() {
	if p != nil {
		_ = p.bar.Clear()
	}
}

// Add reports n more steps.
func (p *Progress) Add(n int) {
	if p.bar != nil {
		_ = p.bar.Add(n) // a display that fails is no reason to stop
	}
}

// Done removes the display.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.env.shown.CompareAndSwap(p, nil)
	}
}

// Reader counts what is read from r as steps.
func (p *Progress) Reader(r io.Reader) io.Reader { return progressReader{r, p} }

type progressReader struct {
	io.Reader
	p *Progress
}

func (r progressReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.p.Add(n)
	return n, err
}
