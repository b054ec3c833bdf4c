// Package repository has the tests of the whole repository: imports, pages, examples, help texts, flags and tables of all commands.
// They know the commands from outside: as programs, pages and source text. 'make commands' runs them.
package repository

import (
	"os"
	"testing"

	"spoor/predict/internal/stagetest"
)

// root is the folder of the project.
const root = "../../.."

// TestMain lets the tests share the binaries of the stages.
func TestMain(m *testing.M) { os.Exit(stagetest.Main(m)) }
