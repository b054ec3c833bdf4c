package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/calibrate/internal/transport"
	"spoor/traces/lookup"
	"spoor/traces/stage"
)

// The other side of a transport between processes is this very program.
func TestMain(m *testing.M) {
	if is, err := transport.Other(); is {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(stage.Failed)
		}
		return
	}
	os.Exit(m.Run())
}

const params = `[alpha]
value = 1.5
unit = "1"
lo = 1.4
hi = 1.6
n = 40
method = "least squares"
source = "fft.refs.arrow sha256:00"
`

func TestStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"dir", "bare"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"fft.params.toml":     params,
		"dir/fft.params.toml": params,
		"table.arrow":         "ARROW1\x00\x00",
		"bad.params.toml":     strings.Replace(params, `unit = "1"`, "", 1),
		"empty.toml":          "",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
	description, err := os.ReadFile(filepath.Join(root, "data/machine/du2000-smp-256k.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("m.toml", description, 0o666); err != nil {
		t.Fatal(err)
	}
	odd := strings.Replace(string(description), "ways = 2", "ways = 3", 1)
	if err := os.WriteFile("odd.toml", []byte(odd), 0o666); err != nil {
		t.Fatal(err)
	}
	noisy := false
	for _, c := range []struct {
		args   string
		status int
		want   string // in standard output if the status is 0, else in standard error
	}{
		{"", stage.Done, "Usage: calibrate"},
		{"--version", stage.Done, "calibrate " + stage.Version},
		{"show m.toml --format csv", stage.Done, "m.toml,cache[0].size,256KiB,\"4096 lines of 64B, 2048 sets of 2 ways\"\n"},
		{"show m.toml --format csv", stage.Done, "m.toml,memory.latency,50 cycles,\"250ns, 50 cycles: "},
		{"show fft.params.toml --format csv", stage.Done, "fft.params.toml,alpha,1.5,95 % from 1.4 to 1.6; least squares\n"},
		{"show m.toml odd.toml", stage.Failed, "odd.toml:16: cache[0].size: 256KiB is not a multiple of line x ways"},
		{"show bad.params.toml", stage.Failed, "bad.params.toml:1: alpha"},
		{"show empty.toml", stage.Failed, "empty.toml: the document is empty"},
		{"show dir --format csv", stage.Done, "dir/fft.params.toml,alpha,1.5,"},
		{"show bare", stage.Failed, "bare: the folder has no *.params.toml and no *.machine.toml"},
		{"show table.arrow", stage.Failed, "table.arrow:1: byte 6 of the file is NUL"},
		{"show nowhere.toml", stage.Failed, `unknown machine or file "nowhere.toml" (`},
		{"memory --quick --quiet --format csv -o host", stage.Done, "\nmemory_latency,"},
		{"memory --quick --quiet --format csv --from host.memory.arrow -o host", stage.Done, "\ncache1_size,"},
		{"show --format csv host.machine.toml", stage.Done, "host.machine.toml,memory.latency,"},
		{"memory --from fft.params.toml -o x", stage.Failed, "fft.params.toml"},
		{"transport --quick --quiet --format csv --transports ring,unix -o host", stage.Done, "transport,name,value,unit,lo,hi\n"},
		{"marshalling --quick --quiet --format csv -o host", stage.Done, "\ntransfer,"},
		{"instructions -o nowhere", stage.Failed, "reading the caches of the machine: "},
		{"instructions --from fft.params.toml -o x", stage.Failed, "fft.params.toml"},
		{"all", stage.WrongUsage, "-o PREFIX is missing"},
		{"all -o dir/", stage.WrongUsage, `-o "dir/": the name of the file is missing; write for example -o dir/host`},
		{"memory --from host.memory.arrow -o .", stage.WrongUsage, `-o ".": the name of the file is missing; write for example -o host`},
		{"instructions -o dir/..", stage.WrongUsage, `-o "dir/..": the name of the file is missing`},
		{"marshalling -o dir/.", stage.WrongUsage, `-o "dir/.": the name of the file is missing`},
		{"transport -o dir/", stage.WrongUsage, `-o "dir/": the name of the file is missing`},
		{"fit nowhere.csv -o dir/", stage.WrongUsage, `-o "dir/": the name of the file is missing`},
		{"fit nowhere.csv", stage.WrongUsage, "-o PREFIX is missing; files are named by it"},
		{"marshalling --quick", stage.WrongUsage, "-o PREFIX is missing"},
		{"marshalling --transport pigeon -o x", stage.WrongUsage, "--transport: unknown transport \"pigeon\" (known: ring, shm, channel, unix, tcp, mpi, openmpi, mpich, cunix, ctcp)"},
		{"transport --quick", stage.WrongUsage, "-o PREFIX is missing"},
		{"marshalling --plan none -o x", stage.WrongUsage, "--plan: unknown plan \"none\" (known: models, many, figures)"},
		{"transport --transports pigeon -o x", stage.WrongUsage, "unknown transport \"pigeon\" (known: ring, shm, channel, unix, tcp, mpi, openmpi, mpich, cunix, ctcp)"},
		{"memory --quick", stage.WrongUsage, "-o PREFIX is missing"},
		{"memory --launches 2 -o x", stage.WrongUsage, "--launches: 2 is not from 3 to 100"},
		{"memory --max-stolen 7 -o x", stage.WrongUsage, "--max-stolen: 7 is not from 0 to 1"},
		{"show", stage.WrongUsage, "no file or machine is given"},
		{"shwo m.toml", stage.WrongUsage, `unknown command "shwo"`},
		{"show m.toml --nope", stage.WrongUsage, "--nope"},
		{"show nowhere.params.toml", stage.Failed, "reading nowhere.params.toml: no such file or directory; analyze and calibrate write parameter files"},
		{"fit nowhere -o x", stage.Failed, "reading timings: nowhere: no such file or directory; give a file of 'calibrate help formats'"},
		{"all -o nowhere/x", stage.Failed, "nowhere/x.params.toml: no such file or directory"}, // before it measures for minutes
	} {
		t.Run(fmt.Sprintf("%v %v", c.args, c.want), func(t *testing.T) {
			if testing.Short() && strings.Contains(c.args, "--quick --quiet") {
				noisy = true // it measures, and the files that it writes are missing
				return
			}
			status, out, errs := run(strings.Fields(c.args)...)
			got := out
			if c.status != stage.Done {
				if got != "" {
					t.Errorf("calibrate %s: failed and printed %q", c.args, got)
				}
				got = errs
			}
			if measures := strings.Contains(c.args, "--quick") && strings.Contains(errs, "too noisy: "); measures || noisy && strings.Contains(c.args, "host.") {
				t.Logf("calibrate %s: %s", c.args, errs) // which is an answer, but of the host
				noisy = true
				return
			}
			if status != c.status || !strings.Contains(got, c.want) {
				t.Errorf("calibrate %s: status %d, want %d with %q:\n%s%s", c.args, status, c.status, c.want, out, errs)
			}
		})
	}
}

// root is the project's folder.
var root = func() string {
	dir, err := filepath.Abs("..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// The shell completes names of machines as arguments of show and as values of --machine, and leaves paths alone.
func TestCompletion(t *testing.T) {
	t.Setenv(lookup.HomeVariable, root)
	for _, c := range []struct{ args, want string }{
		{"show example-d", "example-desktop\n:0\n"},
		{"show example-desktop du2000-smp-25", "du2000-smp-256k\n:0\n"},
		{"show ./ex", ":0\n"},
		{"instructions --machine example-d", "example-desktop\n:2\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out, errs := run(append([]string{"__complete"}, strings.Fields(c.args)...)...)
			if status != stage.Done || out != c.want {
				t.Errorf("status %d, %q, want %q, %s", status, out, c.want, errs)
			}
		})
	}
}

// Unknown names have one phrase: the name, a suggestion, and how to see all names.
func TestUnknownNames(t *testing.T) {
	t.Setenv(lookup.HomeVariable, root)
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"memry"}, stage.WrongUsage, `calibrate: unknown command "memry"; did you mean "memory"? ('calibrate --help' lists all)`},
		{[]string{"pigeon"}, stage.WrongUsage, `calibrate: unknown command "pigeon" ('calibrate --help' lists all)`},
		{[]string{"machines", "extra"}, stage.WrongUsage, `calibrate machines: unexpected argument "extra"; usage: calibrate machines [flags]`},
		{[]string{"show", "exampl-desktop"}, stage.Failed, `calibrate show: unknown machine or file "exampl-desktop"; did you mean "example-desktop"? ('calibrate machines' lists all names, `},
		{[]string{"show", ""}, stage.Failed, "calibrate show: the name of a machine or file is empty ('calibrate machines' lists all names, "},
		{[]string{"instructions", "-o", "x", "--machine", ""}, stage.WrongUsage, "calibrate instructions: --machine is empty; give a NAME, or omit the flag"},
		{[]string{"transport", "-o", "x", "--transports", "rnig"}, stage.WrongUsage, `--transports: unknown transport "rnig"; did you mean "ring"? (known: `},
	} {
		t.Run(c.want, func(t *testing.T) {
			status, out, errs := run(c.args...)
			if status != c.status || out != "" || !strings.HasPrefix(errs, "spoor: ") || !strings.Contains(errs, c.want) {
				t.Errorf("calibrate %q: status %d, %q%q; want %d, %q", c.args, status, out, errs, c.status, c.want)
			}
		})
	}
}
