package study

import (
	"context"

	"spoor/traces/stage"
)

// Keep analyzes the trace at path as analyze with these flags does, and writes the results into dir. It prints no
// summaries. The flags name their values as in --run=reuse.
func Keep(ctx context.Context, env *stage.Env, path, dir string, flags []string) error {
	human := stage.Human
	o := Options{Settings: NewSettings(), Interleaved: true, RunAsked: true, Dir: dir, Format: &human}
	if err := o.Flags.Parse(flags); err != nil {
		return err
	}
	_, err := o.Keep(ctx, env, path)
	return err
}
