package chart

import (
	"html/template"
	"slices"
)

// LegendEntry explains one mark.
type LegendEntry struct {
	Colour  template.CSS
	Shape   string
	Name    string
	Meaning string
}

// Legend explains the mark.
func (m Mark) Legend(name, meaning string) LegendEntry {
	return LegendEntry{template.CSS("var(--" + m.Ink.name + ")"), m.Shape, name, meaning}
}

// LegendOf returns an entry for each tag, with the look of the first series that has it.
func LegendOf(figures []Figure) []LegendEntry {
	var list []LegendEntry
	for _, f := range figures {
		for _, s := range f.Chart.Series {
			for _, tag := range s.Tags {
				if !slices.ContainsFunc(list, func(e LegendEntry) bool { return e.Name == tag }) {
					shape := s.Shape
					if shape == "" {
						shape = "M0 5H12V7H0Z"
						if s.Draw == "bar" {
							shape = "M1 1H11V11H1Z"
						}
					}
					list = append(list, LegendEntry{template.CSS("var(--" + s.Ink + ")"), shape, tag, ""})
				}
			}
		}
	}
	if len(list) < 2 {
		return nil // nothing to tell apart
	}
	return list
}
