// Package weigh tells how many machine instructions each line of a program costs
// in the build that is not instrumented.
package weigh
