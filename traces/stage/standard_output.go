package stage

import "io"

// output is a command's standard output. It remembers the first error, so that a command ends with status 1
// where what it says could not be written, even where nobody looked at the error.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// helpOutput is an output for the command tree, which would print the errors of help and version itself.
type helpOutput struct{ to *output }

func (h helpOutput) Write(b []byte) (int, error) {
	_, _ = h.to.Write(b) // remembered
	return len(b), nil
}

// ForChild is standard output as another process takes it: a file is its own, not copied to.
func (e *Env) ForChild() io.Writer {
	if o, ok := e.Out.(*output); ok {
		return o.Writer
	}
	return e.Out
}
