package machine

import (
	"reflect"
	"strings"
	"testing"
)

// The source is a text or a section. It is written as it was read, and results do not depend on it.
func TestSource(t *testing.T) {
	bare, err := Parse("m.toml", []byte(digested))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want Source
	}{
		{`source = "a sheet"`, Source{Text: "a sheet"}},
		{`source = {url = "u", date = "2026-08-31"}`, Source{URLs: []string{"u"}, Date: "2026-08-31"}},
		{"[source]\ntext = \"t\"\nurl = [\"u \\\"\", \"v\"]\ndate = \"2026-08\"\nvalidated = \"no\"\n", Source{"t", []string{`u "`, "v"}, "2026-08", "no"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			m, err := Parse("m.toml", []byte(`name = "a"`+"\n"+c.text+"\n"+strings.TrimPrefix(digested, `name = "a"`)))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m.Source, c.want) || m.Digest() != bare.Digest() {
				t.Errorf("got %+v, digest %s", m.Source, m.Digest())
			}
			again, err := Parse("m.toml", []byte("name = \"a\"\nsource = "+c.want.text()+strings.TrimPrefix(digested, `name = "a"`)))
			if err != nil || !reflect.DeepEqual(again.Source, c.want) {
				t.Errorf("%s reads back as %+v, %v", c.want.text(), again, err)
			}
		})
	}
	for text, want := range map[string]string{
		"source = \"a\"\n[source]\nurl = \"u\"": "source",
		"[source]\ndate = \"May 2026\"":         `m.toml:3: source.date: "May 2026" is not a date, such as 2026, 2026-08 or 2026-08-31`,
		"[source]\nvalidated = \" \"":           `m.toml:3: source.validated: is empty; write "no", or what was predicted and the error`,
		"[source]\nvalidated = \"a\\nb\"":       "m.toml:3: source.validated: is longer than 200 letters or has control characters",
		"[source]\nurl = [\"\"]":                "m.toml:3: source.url: an address is empty",
		"[source]\ndate = 2026-08-31":           "m.toml:3: source.date: is of TOML's type local date; it must be text in quotes",
		"[source]\nurls = \"u\"":                "m.toml:3: unknown key source.urls; did you mean source.url?",
		"[source]\nurl = [[\"u\"]]":             "source.url",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := Parse("m.toml", []byte(`name = "a"`+"\n"+text+"\n"+strings.TrimPrefix(digested, `name = "a"`)))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
