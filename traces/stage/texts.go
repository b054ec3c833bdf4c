package stage

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

// HelpText is the help of a command or a page.
type HelpText struct {
	Short   string // one line for lists
	Long    string
	Example string // command lines
}

// examplesLine is the line of a file above its examples, and listLine stands for a list that the program makes.
const examplesLine, listLine = "\n\nExamples:\n", "{list}\n"

// ReadHelp reads the help text in file help/NAME.txt: a line for lists, the description, and examples below the line "Examples:".
// Paragraphs are apart by an empty line. The line {list} of the file becomes the given list. ReadHelp panics if the file or one of
// the two lists is missing, which is the programmer's mistake.
func ReadHelp(files fs.FS, name string, list ...string) HelpText {
	content, err := fs.ReadFile(files, "help/"+name+".txt")
	if err != nil {
		panic(fmt.Sprintf("help of %s: %v", name, err))
	}
	text := strings.TrimRight(string(content), "\n")
	if strings.Contains(text+"\n", listLine) != (len(list) == 1) {
		panic(fmt.Sprintf("help of %s: the line {list} and the list are both needed", name))
	}
	for _, l := range list {
		text = strings.TrimRight(strings.Replace(text+"\n", listLine, strings.TrimRight(l, "\n")+"\n", 1), "\n")
	}
	return ParseHelp(text)
}

// ParseHelp reads a help text that is not in a folder and has no list; see [ReadHelp].
func ParseHelp(text string) HelpText {
	text, example, _ := strings.Cut(strings.TrimRight(text, "\n"), examplesLine)
	short, long, _ := strings.Cut(text, "\n")
	return HelpText{short, strings.TrimPrefix(long, "\n"), example}
}

// Describe gives cmd the help text in file help/NAME.txt; see [ReadHelp].
func Describe(cmd *cobra.Command, files fs.FS, name string, list ...string) {
	text := ReadHelp(files, name, list...)
	cmd.Short, cmd.Long, cmd.Example = text.Short, text.Long, text.Example
}
