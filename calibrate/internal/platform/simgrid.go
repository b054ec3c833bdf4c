package platform

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
)

// element is an element of a platform file.
type element struct {
	name string
	line int
	attr map[string]string
}

// get returns an attribute, or what the file format has without it.
func (e *element) get(name, otherwise string) string {
	if v := e.attr[name]; v != "" {
		return v
	}
	return otherwise
}

// platform is what is read from a platform file.
type platform struct {
	clusters []element
	props    map[string]int     // of clusters: how many have each
	config   map[string]element // properties of <config>, by id
	others   map[string]int     // elements that are not read
}

// simgrid reads a platform file of SimGrid, version 4 or 4.1 [simgrid.dtd of SimGrid 4.1].
func (s *source) simgrid(name string) error {
	p, err := s.elements()
	if err != nil {
		return err
	}
	var names []string
	var chosen []element
	for _, c := range p.clusters {
		names = append(names, c.attr["id"])
		if name == "" || c.attr["id"] == name {
			chosen = append(chosen, c)
		}
	}
	switch {
	case len(names) == 0:
		return s.failf("the platform has no <cluster>; hosts, links and routes one by one are no machine of Spoor: describe the network by hand")
	case len(chosen) == 0:
		return s.failf("no cluster has the name %s; clusters are %s", name, strings.Join(names, ", "))
	case len(chosen) > 1:
		return s.failf("%d clusters, but a machine of Spoor is one; choose one with --cluster: %s", len(chosen), strings.Join(names, ", "))
	}
	if left := len(names) - 1; left > 0 {
		p.others["cluster"] += left
	}
	for _, name := range slices.Sorted(maps.Keys(p.others)) {
		s.note("%d <%s> not imported: the machine is one cluster", p.others[name], name)
	}
	for _, name := range slices.Sorted(maps.Keys(p.props)) {
		s.note("the property %s of clusters is not imported", name)
	}
	return s.cluster(&chosen[0], p.config)
}

// elements reads all elements. Zones only hold others.
func (s *source) elements() (*platform, error) {
	p := &platform{props: map[string]int{}, config: map[string]element{}, others: map[string]int{}}
	d := xml.NewDecoder(bytes.NewReader(s.text))
	var open []string
	for {
		line, _ := d.InputPos() // where the token begins
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			line, _ = d.InputPos()
			return nil, s.errorf(line, "not XML: %v", strings.TrimPrefix(err.Error(), "XML syntax error on "))
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{strings.ToLower(token.Name.Local), line, map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			parent := ""
			if len(open) > 0 {
				parent = open[len(open)-1]
			}
			if err := s.element(p, &e, parent); err != nil {
				return nil, err
			}
			open = append(open, e.name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

// element stores one element.
func (s *source) element(p *platform, e *element, parent string) error {
	switch {
	case e.name == "platform":
		if v := e.attr["version"]; v != "4" && v != "4.1" {
			return s.errorf(e.line, "version %q of the platform is not 4 or 4.1; convert the file with simgrid_update_xml", v)
		}
	case e.name == "include":
		return s.errorf(e.line, "<include> of %q is not read; put the file's text here", e.attr["file"])
	case e.name == "cluster":
		p.clusters = append(p.clusters, *e)
	case e.name == "prop" && parent == "config":
		p.config[e.attr["id"]] = *e
	case e.name == "prop" && parent == "cluster":
		p.props[e.attr["id"]]++
	case e.name == "zone" || e.name == "as" || e.name == "config" || e.name == "prop" || e.name == "link_ctn":
	default:
		p.others[e.name]++
	}
	return nil
}
