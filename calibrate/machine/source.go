package machine

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Source says where the numbers of a machine are from. Results do not depend on it.
type Source struct {
	Text      string   // one line, or ""
	URLs      []string // addresses of the sources
	Date      string   // of the newest source: YYYY, YYYY-MM or YYYY-MM-DD; or ""
	Validated string   // what predictions were compared with, and their error; "no"; or ""
}

// sourceText is the section [source], or the key source = "text".
type sourceText struct {
	Text      *string `toml:"text"`
	URL       list    `toml:"url"`
	Date      *string `toml:"date"`
	Validated *string `toml:"validated"`
}

// UnmarshalText stores the text of the key.
func (s *sourceText) UnmarshalText(b []byte) error {
	whole := string(b)
	s.Text = &whole
	return nil
}

// list is a list of texts, or one text.
type list []string

// UnmarshalText stores the only text.
func (l *list) UnmarshalText(b []byte) error {
	*l = list{string(b)}
	return nil
}

func (r *reader) source(t *sourceText) {
	if t == nil {
		return
	}
	s := Source{Text: r.oneLine("source.text", t.Text), Date: r.oneLine("source.date", t.Date), Validated: r.oneLine("source.validated", t.Validated)}
	for _, u := range t.URL {
		if strings.TrimSpace(u) == "" {
			r.fail("source.url", "an address is empty")
		}
		s.URLs = append(s.URLs, r.oneLine("source.url", &u))
	}
	if t.Date != nil && !isDate(s.Date) {
		r.fail("source.date", "%q is not a date, such as 2026, 2026-08 or 2026-08-31", s.Date)
	}
	if t.Validated != nil && strings.TrimSpace(s.Validated) == "" {
		r.fail("source.validated", `is empty; write "no", or what was predicted and the error`)
	}
	r.m.Source = s
}

func isDate(s string) bool {
	for _, layout := range []string{"2006", "2006-01", time.DateOnly} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// text returns the value of the key source, or "".
func (s Source) text() string {
	only := strconv.Quote(s.Text)
	var keys []string
	if s.Text != "" {
		keys = append(keys, "text = "+only)
	}
	if len(s.URLs) > 0 {
		keys = append(keys, "url = "+strings.ReplaceAll(fmt.Sprintf("%q", s.URLs), `" "`, `", "`))
	}
	for _, k := range [][2]string{{"date", s.Date}, {"validated", s.Validated}} {
		if k[1] != "" {
			keys = append(keys, k[0]+" = "+strconv.Quote(k[1]))
		}
	}
	switch {
	case len(keys) == 0:
		return ""
	case len(keys) == 1 && s.Text != "":
		return only
	}
	return "{" + strings.Join(keys, ", ") + "}"
}
