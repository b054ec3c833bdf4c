package main

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/message"
	"spoor/traces/stage"
)

// Every page belongs to a model, target, network or topic. addTopics panics if one of these has no page.
func TestEveryPageIsListed(t *testing.T) {
	lists := map[string][]string{"model": modelNames(), "target": targetNames(), "network": networkNames(), "topic": otherTopics}
	err := fs.WalkDir(pages, "pages", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		parts := strings.Split(strings.TrimSuffix(path, ".txt"), "/")
		if !slices.Contains(lists[parts[1]], parts[2]) {
			t.Errorf("%s belongs to nothing", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range message.Names() {
		if text, err := pages.ReadFile("pages/model/message-models.txt"); err != nil || !strings.Contains(string(text), "\n  "+m+" ") {
			t.Errorf("message-models does not explain %s", m)
		}
	}
}

// The help of each command fits on a screen, and refers to pages that exist.
func TestHelpFitsOnAScreen(t *testing.T) {
	names := []string{""}
	for _, c := range command(&stage.Env{}).Commands() {
		names = append(names, c.Name())
	}
	for _, name := range append(names, "message crossover", "message blocks") {
		status, help, _ := predict(append(strings.Fields(name), "--help")...)
		if status != stage.Done {
			t.Fatalf("predict %s --help: status %d", name, status)
		}
		if n := strings.Count(help, "\n"); n > 60 {
			t.Errorf("predict %s --help has %d lines", name, n)
		}
		for line := range strings.Lines(help) {
			if len(line) > 121 {
				t.Errorf("predict %s --help: %d columns: %s", name, len(line)-1, line)
			}
			if _, topic, found := strings.Cut(line, "'predict help "); found && name != "" {
				topic, _, _ = strings.Cut(topic, "'")
				if status, _, _ := predict("help", topic); status != stage.Done {
					t.Errorf("predict %s --help refers to the page %q, which does not exist", name, topic)
				}
			}
		}
	}
}
