package chart

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"
)

// The library that draws interactive plots, see echarts/README.md.
const (
	libraryVersion = "6.1.0"
	librarySHA256  = "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0"
)

//go:embed echarts/echarts.min.js
var library string

//go:embed script/*.js
var scriptFiles embed.FS

// script is the page's own, of all files in the order of their names. It draws the charts with the
// library, and makes tables sortable.
var script = joined(scriptFiles)

func joined(files embed.FS) string {
	var b strings.Builder
	b.WriteString("\"use strict\";\n(() => {\n")
	entries, err := files.ReadDir("script")
	if err != nil {
		panic(err) // they are in the program
	}
	for _, e := range entries {
		text, err := files.ReadFile("script/" + e.Name())
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
	b.WriteString("})();\n")
	return b.String()
}

// Policy returns a content security policy. It forbids the page to load anything and to run other scripts than its
// own two, so that no name in a trace can run as code.
func Policy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src " + hash(library) + " " + hash(script) +
		"; base-uri 'none'; form-action 'none'"
}

// Scripts are the two as the page has them.
func Scripts() []template.JS { return []template.JS{template.JS(library), template.JS(script)} }
