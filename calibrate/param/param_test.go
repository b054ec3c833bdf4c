package param

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

const good = `# made by hand
[alpha]
value = 1.2345
unit = "1"
lo = 1.2
hi = 1.27
n = 1234
method = "least squares"
source = "fft.refs.arrow sha256:00"

[beta]
value = 103
unit = "lines"
`

func TestParse(t *testing.T) {
	s, err := Parse("p.toml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := Param{"alpha", 1.2345, "1", 1.2, 1.27, 1234, "least squares", "fft.refs.arrow sha256:00"}
	if p, err := s.Get("alpha", "1"); err != nil || p != want || !p.HasInterval() {
		t.Errorf("got %+v, %v", p, err)
	}
	if p, err := s.Get("beta", "lines"); err != nil || p.Value != 103 || p.HasInterval() {
		t.Errorf("got %+v, %v", p, err)
	}
	if _, err := s.Get("beta", "B"); err == nil || err.Error() != `p.toml: parameter beta has the unit "lines"; it must be "B"` {
		t.Errorf("got %v", err)
	}
	if _, err := s.Get("gamma", "1"); err == nil || err.Error() != "p.toml: parameter gamma is missing" {
		t.Errorf("got %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{good, "", "p.toml: the document is empty"},
		{good, "value = 3\n", "p.toml:1: "},
		{good, "[a.b]\nvalue = 1.0\nunit = \"1\"\n", "p.toml:1: unknown key a.b"},
		{good, "[\"a b\"]\nvalue = 1.0\nunit = \"1\"\n", "p.toml:1: a b: "},
		{"value = 1.2345", "value = nan", "p.toml:3: alpha.value: "},
		{"value = 1.2345", "value = -inf", "p.toml:3: alpha.value: "},
		{"value = 1.2345", "value = \"1.2345\"", "p.toml:3: "},
		{"value = 1.2345", "", "p.toml:2: alpha.value: is missing"},
		{"value = 103\n", "", "p.toml:11: beta.value: is missing"},
		{"unit = \"lines\"", "", "p.toml:11: beta.unit: "},
		{"unit = \"lines\"", "unit = \"\"", "p.toml:13: beta.unit: "},
		{"lo = 1.2\n", "lo = 1.24\n", "p.toml:5: alpha.lo: "},
		{"lo = 1.2\n", "lo = nan\n", "p.toml:5: alpha.lo: "},
		{"lo = 1.2\n", "", "p.toml:2: alpha: "},
		{"hi = 1.27", "hi = 1.23", "p.toml:6: alpha.hi: "},
		{"hi = 1.27", "hi = 1e300", "p.toml:6: alpha.hi: hi: 1e+300 is beyond 1e+100; correct the number"},
		{"lo = 1.2\n", "lo = -1e300\n", "p.toml:5: alpha.lo: lo: -1e+300 is beyond 1e+100"},
		{"hi = 1.27", "hi = inf", "p.toml:6: alpha.hi: "},
		{"n = 1234", "n = -1", "p.toml:7: "},
		{"n = 1234", "m = 1234", "p.toml:7: unknown key alpha.m"},
		{"n = 1234", "N = 1234", "p.toml:7: unknown key alpha.N"},
		{"[beta]", "[alpha]", "p.toml:11: "},
		{"lo = 1.2\n", "value = 1.2\n", "p.toml:5: "},
	} {
		t.Run(fmt.Sprintf("%v %v", c.old, c.new), func(t *testing.T) {
			if strings.Count(good, c.old) != 1 {
				t.Fatalf("%q is not once in the file", c.old)
			}
			s, err := Parse("p.toml", []byte(strings.Replace(good, c.old, c.new, 1)))
			if err == nil || s != nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q -> %q: got %v, want one line that begins %q", c.old, c.new, err, c.want)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	parse := func(name, text string) *Set {
		t.Helper()
		s, err := Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := parse("a.toml", good), parse("b.toml", "[gamma]\nvalue = 0.2\nunit = \"1\"\n")
	m, err := Merge(a, b, a)
	if err != nil || len(m.All()) != 3 || m.All()[2].Name != "gamma" {
		t.Fatalf("got %+v, %v", m, err)
	}
	if _, err := Merge(a, parse("c.toml", "[beta]\nvalue = 104\nunit = \"lines\"\n")); err == nil ||
		err.Error() != "merging parameters: a.toml and c.toml have different values of beta; omit one of them" {
		t.Errorf("got %v", err)
	}
}

func TestAdd(t *testing.T) {
	var s Set
	ok := Param{Name: "x", Value: 1, Unit: "1", Lo: math.NaN(), Hi: math.NaN()}
	if err := s.Add(ok); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]Param{
		"twice": ok, "zero": {}, "no unit": {Name: "y", Lo: 0, Hi: 0}, "not finite": {Name: "y", Value: math.Inf(1), Unit: "1"},
		"outside": {Name: "y", Value: 3, Unit: "1", Lo: 1, Hi: 2}, "half": {Name: "y", Value: 3, Unit: "1", Lo: 1, Hi: math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			if s.Add(p) == nil {
				t.Error("no error")
			}
		})
	}
}

// What is written reads back the same.
func FuzzWriteRead(f *testing.F) {
	f.Add("alpha", 1.25, "1", 0.1, 0.2, uint64(7), "how \"ever\"", "a\\b\x7f\n")
	f.Add("beta", -1e99, "lines", 0.0, 0.0, uint64(0), "", "é")
	f.Fuzz(func(t *testing.T, name string, v float64, unit string, below, above float64, n uint64, method, source string) {
		p := Param{name, v, unit, v - math.Abs(below), v + math.Abs(above), n >> 1, method, source}
		var s Set
		if s.Add(p) != nil {
			t.Skip()
		}
		for _, text := range []string{unit, method, source} {
			if strings.ToValidUTF8(text, "") != text {
				t.Skip() // replaced
			}
		}
		var b bytes.Buffer
		if err := s.Write(&b); err != nil {
			t.Fatal(err)
		}
		back, err := Parse("p.toml", b.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if !reflect.DeepEqual(back.All(), s.All()) {
			t.Fatalf("got %+v, want %+v", back.All(), s.All())
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse("p.toml", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.toml") {
				t.Fatal(err)
			}
			return
		}
		for _, p := range s.All() {
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
