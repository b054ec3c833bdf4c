package stage

import (
	"bytes"
	"io"

	"github.com/spf13/cobra"
)

// Capture runs the command of build as [Main] does. It returns the status and what was printed. Tests of commands use
// it.
func Capture(build func(*Env) *cobra.Command, in io.Reader, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = Main(build, &Env{In: in, Out: &out, Err: &errs}, args)
	return status, out.String(), errs.String()
}
