package main

import "spoor/analyze/study"

// options are the values of the command line.
type options struct{ study.Options }
