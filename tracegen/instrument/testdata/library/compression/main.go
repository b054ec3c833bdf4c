// Compression deflates and inflates text.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(*spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		var text, packed bytes.Buffer
		for i := range 3000 {
			fmt.Fprintf(&text, "entry %d has value %d\n", i, i*i%1000)
		}
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(text.Bytes()); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		z, err := gzip.NewReader(&packed)
		if err != nil {
			return err
		}
		back, err := io.ReadAll(z)
		if err == nil && !bytes.Equal(back, text.Bytes()) {
			err = fmt.Errorf("the text has changed")
		}
		return err
	})
}
