package stage

import "io"

// output is a command's standard output. It keeps the first write error, so that Main returns status 1
// even if the command ignored the error.
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
