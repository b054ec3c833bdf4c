// Package published has the flags about model paper, of several commands of predict.
package published

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spoor/calibrate/param"
	"spoor/predict/cluster"
	"spoor/traces/stage"
)

// Options are the flags about model paper, of several commands.
type Options struct {
	Printed    bool // --as-printed
	noBarriers bool
	raise, law string
	given      *param.Set // the parameters of --law FILE
}

// Add adds the flags.
func (o *Options) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.Printed, "as-printed", false, "run model paper with its equations as printed")
	flags.StringVar(&o.raise, "raise-remote", "0%", "`SHARE` added to remote accesses of model paper for coherence")
	flags.StringVar(&o.law, "law", "", "`LAW` of model paper: log, least-squares (default), likelihood, or a parameter file")
	flags.BoolVar(&o.noBarriers, "without-barriers", false, "leave out the barrier term of model paper")
}

// Flag returns the name of a flag that was given, or nothing.
func (o *Options) Flag() string {
	switch {
	case o.Printed:
		return "--as-printed"
	case o.law != "":
		return "--law"
	case o.noBarriers:
		return "--without-barriers"
	case o.raise != "0%":
		return "--raise-remote"
	}
	return ""
}

// Model returns model paper with the flags. It reads the file of --law.
func (o *Options) Model() (cluster.Paper, error) {
	p := cluster.Paper{Printed: o.Printed, NoBarriers: o.noBarriers, Law: o.law}
	var err error
	if p.Raise, err = Percent("--raise-remote", o.raise, 1000); err != nil {
		return p, err
	}
	if !strings.HasSuffix(o.law, ".toml") {
		if o.law != "" {
			err = cluster.CheckLaw(o.law)
		}
		if err != nil {
			err = stage.Usage("--law: %w, or give a parameter file", err)
		}
		return p, err
	}
	if o.given, err = param.Read(o.law); err != nil {
		return p, err
	}
	p.Law = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(o.law), ".toml"), ".params")
	return p, cluster.CheckGiven(p.Law)
}

// Apply replaces the locality of runs by that of --law FILE.
func (o *Options) Apply(runs []*cluster.Run) ([]*cluster.Run, error) {
	if o.given == nil {
		return runs, nil
	}
	out, err := cluster.WithLaw(runs, o.given)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", o.law, err)
	}
	return out, nil
}

// Given reports whether --law is a file. Its parameters are for model paper alone.
func (o *Options) Given() bool { return o.given != nil }

// Percent parses a share such as "12.4%".
func Percent(flag, text string, most float64) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !strings.HasSuffix(text, "%") || !(v >= 0 && v <= most) {
		return 0, stage.Usage("%s %s is not a share from 0%% to %v%%", flag, text, most)
	}
	return v / 100, nil
}
