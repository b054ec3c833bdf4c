package machine

import (
	"path/filepath"
	"strings"
	"testing"
)

const somePrices = `name = "some"
[windtunnel]
processor = "$20000"
memory = "$3200"
uniprocessor = "$3200"
bus = "$76800"
bus_processors = 40
network = 2
`

func TestParsePrices(t *testing.T) {
	p, err := ParsePrices("some.toml", []byte(somePrices))
	if err != nil {
		t.Fatal(err)
	}
	if want := (WindTunnel{20000, 3200, 3200, 76800, 40, 2}); *p.WindTunnel != want || p.Name != "some" {
		t.Errorf("%+v", p.WindTunnel)
	}
	if p, err := ParsePrices("x", []byte(`name = "x"`)); err != nil || p.WindTunnel != nil {
		t.Errorf("%v %v", p, err)
	}
}

func TestPricesRefuse(t *testing.T) {
	for _, row := range []struct{ old, new, say string }{
		{`"$20000"`, `20000`, `some.toml:3: windtunnel.processor: "20000" has no unit; write for example "$20000"`},
		{`"$3200"`, `"3200 cycles"`, "some.toml:4: windtunnel.memory:"},
		{`"$76800"`, `"$-1"`, "some.toml:6: windtunnel.bus:"},
		{`"$76800"`, `"$76800000000000"`, "is more than"},
		{`"$20000"`, `"$0"`, "some.toml:3: windtunnel.processor: is not above $0"},
		{`memory = "$3200"`, `memory = "$0"`, "some.toml:4: windtunnel.memory: is not above $0"},
		{`bus = "$76800"` + "\n", ``, "windtunnel.bus: is missing"},
		{`= 40`, `= 1`, "some.toml:7: windtunnel.bus_processors: 1: a bus connects"},
		{`= 40`, `= 4.5`, "some.toml:7"},
		{`bus_processors = 40` + "\n", ``, "windtunnel.bus_processors: is missing"},
		{`= 2`, `= -1`, "some.toml:8: windtunnel.network: -1 is not from 0"},
		{`= 2`, `= nan`, "windtunnel.network: NaN is not from 0"},
		{`network = 2`, ``, "windtunnel.network: is missing"},
		{`network = 2`, "network = 2\ncheap = 1", "some.toml:9: unknown key windtunnel.cheap"},
		{`name = "some"`, ``, "name: is missing"},
		{`[windtunnel]`, `[clouds]`, "unknown key"},
	} {
		t.Run(row.say, func(t *testing.T) {
			text := strings.Replace(somePrices, row.old, row.new, 1)
			if _, err := ParsePrices("some.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), row.say) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s -> %s: got %v, want %q", row.old, row.new, err, row.say)
			}
		})
	}
}

func TestPricesOfTheProject(t *testing.T) {
	files, err := filepath.Glob("../../data/price/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("no lists of prices", err)
	}
	for _, f := range files {
		if _, err := ReadPrices(f); err != nil {
			t.Error(err)
		}
	}
}
