package reference

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed messages.txt
var messagesText string

// messagesHead is the page before its contents.
const messagesHead = "# Notes, warnings and errors\n\n" +
	"This page explains the notes, warnings and errors that need more than their own line. For each it says which command\n" +
	"prints it, what it means, and what to do. To find a message, search this page for some of its words. `<N>`, `<FILE>`\n" +
	"and other names stand for values.\n\n" +
	"A **warning** says that a model assumes something that does not hold here. Do not rely on the result before you have\n" +
	"read it here. A **note** reports what a command guessed or left out. An **error** ends the command. Notes and errors\n" +
	"go to standard error.\n\n" +
	"Generated from `predict/internal/reference/messages.txt` by `make reference`. Do not edit. A test compares it with the source.\n\n" +
	"## Index\n"

// explained is a message with its explanation.
type explained struct {
	Group, Title, Kind, By string
	Texts                  []string // formats with <NAMES> for their verbs
	Is, Do                 string
}

// messageList is the content of messages.txt, in its order.
type messageList struct {
	Groups   []Group
	Messages []*explained
}

// messages reads messages.txt.
func messages() (*messageList, error) {
	l, n := &messageList{}, 0
	for line := range strings.Lines(messagesText) {
		n++
		if err := l.add(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("messages.txt:%d: %w", n, err)
		}
	}
	for _, m := range l.Messages {
		if m.Kind == "" || m.By == "" || len(m.Texts) == 0 || m.Is == "" || m.Do == "" {
			return nil, fmt.Errorf("messages.txt: message %s needs kind, by, text, is and do", m.Title)
		}
	}
	return l, nil
}

func (l *messageList) add(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "" || word == "#":
		return nil
	case word == "group":
		l.Groups = append(l.Groups, Group{Title: rest})
		return nil
	case len(l.Groups) == 0:
		return fmt.Errorf("no group before %q", line)
	}
	group := &l.Groups[len(l.Groups)-1]
	if word == "message" {
		if slices.ContainsFunc(l.Messages, func(m *explained) bool { return m.Title == rest }) {
			return fmt.Errorf("two messages are called %q", rest)
		}
		l.Messages = append(l.Messages, &explained{Group: group.Title, Title: rest})
		return nil
	}
	if len(l.Messages) == 0 || l.Messages[len(l.Messages)-1].Group != group.Title {
		group.Text += line + "\n"
		return nil
	}
	return l.Messages[len(l.Messages)-1].set(word, rest)
}

func (m *explained) set(word, rest string) error {
	switch word {
	case "kind":
		m.Kind = rest
	case "by":
		m.By = rest
	case "text":
		m.Texts = append(m.Texts, rest)
	case "is":
		m.Is = rest
	case "do":
		m.Do = rest
	default:
		return fmt.Errorf("unknown keyword %q", word)
	}
	return nil
}

// messagesPage returns the page of all explained messages.
func messagesPage() (string, error) {
	l, err := messages()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(messagesHead)
	for _, g := range l.Groups {
		fmt.Fprintf(&b, "\n[%s](#%s)\n\n| message | explained in |\n|---|---|\n", g.Title, slug(g.Title))
		for _, m := range l.of(g) {
			for _, text := range m.Texts {
				fmt.Fprintf(&b, "| %s | [%s](#%s) |\n", cell("`"+strings.ReplaceAll(text, "`", "'")+"`"), m.Title, slug(m.Title))
			}
		}
	}
	for _, g := range l.Groups {
		fmt.Fprintf(&b, "\n## %s\n", g.Title)
		if g.Text != "" {
			fmt.Fprintf(&b, "\n%s\n", paragraphs(g.Text))
		}
		for _, m := range l.of(g) {
			m.write(&b)
		}
	}
	return b.String(), nil
}

// of returns the messages of a group.
func (l *messageList) of(g Group) (all []*explained) {
	for _, m := range l.Messages {
		if m.Group == g.Title {
			all = append(all, m)
		}
	}
	return all
}

// write writes the section of m.
func (m *explained) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n```text\n", m.Title)
	for _, text := range m.Texts {
		b.WriteString(hanging(text) + "\n")
	}
	kind := strings.ToUpper(m.Kind[:1]) + m.Kind[1:]
	fmt.Fprintf(b, "```\n\n%s\n\n", wrap(fmt.Sprintf("%s of %s. %s", kind, m.By, m.Is)))
	fmt.Fprintf(b, "%s\n", wrap("**What to do.** "+m.Do))
}

// hanging wraps a text; further lines are indented.
func hanging(text string) string {
	return strings.ReplaceAll(wrap(text), "\n", "\n    ")
}

// placeholder of a text in messages.txt and plain.txt.
var placeholderName = regexp.MustCompile(`<[A-Z]*>`)

// sameForm returns a text with <> for each placeholder, to compare it with a format of the source.
func sameForm(text string) string { return placeholderName.ReplaceAllString(text, "<>") }
