package paramfile

import (
	"bytes"
	"testing"
)

func TestFileIsAsDocumented(t *testing.T) {
	var b bytes.Buffer
	f := File("law", "spoor analyze 1\n[x]", []Param{{"alpha", Estimate{1.25, 1, 1e300}, "1", 12, `by "hand"`, "a\\b\n sha256:00"}})
	if err := f.Fill(&b); err != nil {
		t.Fatal(err)
	}
	want := "# made by spoor analyze 1 [x]\n\n[alpha]\nvalue = 1.25\nunit = \"1\"\nlo = 1.0\nhi = 1e+300\nn = 12\n" +
		"method = \"by \\\"hand\\\"\"\nsource = \"a\\\\b\\u000A sha256:00\"\n"
	if b.String() != want || f.Name != "law.params.toml" {
		t.Errorf("got %s\n%s\nwant\n%s", f.Name, b.String(), want)
	}
}
