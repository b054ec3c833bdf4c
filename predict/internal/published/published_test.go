package published

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Flags select the model, whose name says what differs; a bad value is an error that names its flag.
func TestModel(t *testing.T) {
	table := "../../../data/paper/du2000/table3-lu.params.toml"
	for _, c := range []struct{ args, want string }{
		{"", "paper"},
		{"--law log", "paper-log"},
		{"--law least-squares", "paper"},
		{"--law likelihood --without-barriers --raise-remote 12.4%", "paper-likelihood-no-barriers+12.4%"},
		{"--law " + table, "paper-table3-lu"},
		{"--as-printed", "printed"},
		{"--law nosuch", "--law"},
		{"--law nosuch.toml", "nosuch.toml"},
		{"--raise-remote 5", "--raise-remote"},
	} {
		t.Run(c.args, func(t *testing.T) {
			var o Options
			flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
			o.Add(flags)
			if err := flags.Parse(strings.Fields(c.args)); err != nil {
				t.Fatal(err)
			}
			m, err := o.Model()
			if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && m.Name() != c.want {
				t.Errorf("%v %v, want %s", m.Name(), err, c.want)
			}
			if given := strings.Contains(c.args, table); o.Given() != given {
				t.Errorf("from a file: %v", o.Given())
			}
		})
	}
}
