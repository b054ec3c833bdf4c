package main

import (
	"os"
	"testing"

	"spoor/predict/internal/stagetest"
)

// TestMain lets the tests share the binaries of the stages.
func TestMain(m *testing.M) { os.Exit(stagetest.Main(m)) }
