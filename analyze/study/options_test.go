package study

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// A flag belongs to the analyses that it affects.
func TestFlagsHaveOwners(t *testing.T) {
	s := NewSettings()
	for _, k := range s.Kinds {
		if k.Flags == nil {
			continue
		}
		own := pflag.NewFlagSet(k.Name, pflag.ContinueOnError)
		k.Flags(own)
		own.VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(s.owners(f), k.Name) {
				t.Errorf("--%s of %s: it belongs to %v", f.Name, k.Name, s.owners(f))
			}
		})
	}
}

// Old names of flags name the values in the files of runs with --procs.
func TestFilesUseOldNamesOfFlags(t *testing.T) {
	if s := NewSettings(); s.settingName(s.Flags.Lookup("node-network")) != "setting.between" {
		t.Error(s.settingName(s.Flags.Lookup("node-network")))
	}
}
