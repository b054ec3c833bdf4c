package stage

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// output is a command's standard output. It escapes what a terminal would obey. It keeps the first write error, so that
// Main returns status 1 even if the command ignored the error.
type output struct {
	io.Writer
	env  *Env
	rest []byte // the start of a character whose other bytes come with the next call
	err  error
}

func (o *output) Write(b []byte) (int, error) {
	if len(o.rest) == 0 && plain(b, allowedInOutput) {
		return o.raw(b)
	}
	text := append(o.rest, b...)
	end := len(text) - cutCharacter(text)
	var escaped strings.Builder
	escapeTo(&escaped, string(text[:end]), allowedInOutput)
	o.rest = append([]byte(nil), text[end:]...)
	if _, err := o.raw([]byte(escaped.String())); err != nil {
		return 0, err
	}
	return len(b), nil
}

// raw writes b as it is.
func (o *output) raw(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// finish writes the rest and returns the first error.
func (o *output) finish() error {
	if len(o.rest) > 0 {
		_, _ = o.raw([]byte(escape(string(o.rest)))) // kept
		o.rest = nil
	}
	return o.err
}

// cutCharacter returns the number of bytes at the end of b that begin a character, but do not complete it.
func cutCharacter(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// onTerminal reports whether a terminal shows the output.
func (o *output) onTerminal() bool {
	f, ok := o.Writer.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// fileOnly drops what the command prints, because standard output gets the file of --output.
func (e *Env) fileOnly() {
	if o, ok := e.Out.(*output); ok {
		o.Writer = &dropped{env: e}
	}
}

// dropped drops what is written, with a note.
type dropped struct {
	env  *Env
	said bool
}

func (d *dropped) Write(b []byte) (int, error) {
	if !d.said {
		d.said = true
		d.env.Note("standard output gets the file of --output alone; the printed result is left out")
	}
	return len(b), nil
}

// rawOutput writes to the output without escapes.
type rawOutput struct{ to *output }

func (r rawOutput) Write(b []byte) (int, error) { return r.to.raw(b) }

// Raw returns standard output for the contents of a file. It escapes nothing.
func (e *Env) Raw() io.Writer {
	if o, ok := e.Out.(*output); ok {
		return rawOutput{o}
	}
	return e.Out
}

// helpOutput hides write errors from cobra, which would print them itself.
type helpOutput struct{ to *output }

func (h helpOutput) Write(b []byte) (int, error) {
	_, _ = h.to.Write(b) // kept by output
	return len(b), nil
}

// ForChild returns standard output for a child process. A file is passed on directly, without a copying goroutine.
func (e *Env) ForChild() io.Writer {
	if o, ok := e.Out.(*output); ok {
		return o.Writer
	}
	return e.Out
}
