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
type Progress struct{ bar *progressbar.ProgressBar }

// Progress starts a display of total steps (-1 if nobody knows), called what.
// Steps are bytes or items.
func (e *Env) Progress(what string, total int64, bytes bool) *Progress {
	f, ok := e.Err.(*os.File)
	if e.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return &Progress{}
	}
	rate := progressbar.OptionShowIts()
	if bytes {
		rate = progressbar.OptionShowBytes(true)
	}
	return &Progress{progressbar.NewOptions64(total, rate, progressbar.OptionShowCount(),
		progressbar.OptionSetWriter(e.Err), progressbar.OptionSetDescription(what),
		progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())}
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
