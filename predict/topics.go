package main

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spoor/predict/cluster"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/network"
	"spoor/predict/internal/windtunnel"
	"spoor/traces/stage"
)

// pages has the text of each page of `predict help NAME`, as KIND/NAME.txt. The first line is its meaning in lists.
//
//go:embed pages
var pages embed.FS

// helpTexts has the help text of each command.
//
//go:embed help/*.txt
var helpTexts embed.FS

// windtunnelModels is the page that lists windtunnel.Models.
const windtunnelModels = "windtunnel-models"

// otherTopics are the pages that are not of a model, a target or a network.
var otherTopics = []string{"time-parts", "intervals", "references", "collectives", "engines", "critical-path", "sharing",
	"placement", "together", "unequal-nodes", "direct-execution", "quanta", "traffic", "budget-search"}

// addTopics adds a page for each model, target and network, and for what several commands have in common.
func addTopics(root *cobra.Command) {
	stage.AddTopics(root,
		stage.Topics{Title: "Models", Pages: pagesOf(root, "model", modelNames())},
		stage.Topics{Title: "Targets, system.target of a machine", Brief: true, Pages: pagesOf(root, "target", targetNames())},
		stage.Topics{Title: "Networks, network.model of a machine", Brief: true, Pages: pagesOf(root, "network", networkNames())},
		stage.Topics{Title: "Topics", Pages: pagesOf(root, "topic", otherTopics)})
}

// modelNames lists the models with a page of their own, and the pages of models in families.
func modelNames() []string { return append(clusterModels(), "message-models", windtunnelModels) }

func clusterModels() (names []string) {
	for _, m := range cluster.All {
		names = append(names, m.Name())
	}
	return names
}

func targetNames() (names []string) {
	for _, t := range memsys.All {
		names = append(names, t.Name())
	}
	return names
}

func networkNames() (names []string) {
	for _, n := range network.All {
		names = append(names, n.Name())
	}
	return names
}

// pagesOf returns the pages of one kind. It panics on a name without a page, which is the programmer's mistake.
func pagesOf(root *cobra.Command, kind string, names []string) (list []stage.Topic) {
	for _, name := range names {
		text, err := pages.ReadFile(path.Join("pages", kind, name+".txt"))
		if err != nil {
			panic(fmt.Sprintf("predict: %s %s needs the page pages/%s/%s.txt", kind, name, kind, name))
		}
		short, rest, _ := strings.Cut(string(text), "\n")
		if name == windtunnelModels {
			rest += "\n" + namesAndDocs(windtunnel.Models, func(m windtunnel.Model) (string, string) { return m.Name, m.Doc })
		}
		list = append(list, stage.Topic{Name: topicName(root, kind, name), Short: short, Text: strings.TrimSpace(rest)})
	}
	return list
}

// topicName returns the name of a page. A page with the name of a command has its kind in the name.
func topicName(root *cobra.Command, kind, name string) string {
	if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }) {
		return name + "-" + kind
	}
	return name
}

// namesAndDocs lists names with their meanings, one in each line.
func namesAndDocs[T any](all []T, of func(T) (name, doc string)) string {
	width := 0
	for _, x := range all {
		name, _ := of(x)
		width = max(width, len(name))
	}
	var b strings.Builder
	for _, x := range all {
		name, doc := of(x)
		fmt.Fprintf(&b, "  %-*s  %s\n", width, name, doc)
	}
	return b.String()
}

// list joins names for a sentence.
func list(names []string) string { return strings.Join(names, ", ") }
