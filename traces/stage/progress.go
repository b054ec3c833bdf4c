package stage

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress displays the progress of a command, its rate and the time left, if standard error is a terminal.
type Progress struct {
	bar *progressbar.ProgressBar
	env *Env
}

// Bytes as the name of steps makes Progress print KiB, MiB and so on.
const Bytes = "bytes"

// Progress starts a display with the title what. total is the number of steps, or -1 if it is unknown.
// steps is the plural name of a step, or Bytes.
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
	// The clock starts at the first display. Without this call the first rate would be far too high.
	_ = bar.RenderBlank()
	p := &Progress{bar, e}
	e.shown.Store(p)
	return p
}

// hide clears the display until the next step, so that other text can be written. p may be nil.
func (p *Progress) hide() {
	if p != nil {
		_ = p.bar.Clear()
	}
}

// Add reports n more steps.
func (p *Progress) Add(n int) {
	if p.bar != nil {
		_ = p.bar.Add(n) // a display that fails must not stop the command
	}
}

// Done removes the display.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.env.shown.CompareAndSwap(p, nil)
	}
}

// reader returns a reader that counts the bytes read from r as steps.
func (p *Progress) reader(r io.Reader) io.Reader { return progressReader{r, p} }

type progressReader struct {
	io.Reader
	p *Progress
}

func (r progressReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.p.Add(n)
	return n, err
}
