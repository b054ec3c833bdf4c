// Package oracle compares recordings with what the compiler's own instrumentation
// sees of the same programs: the kernels are compiled with -msan, which calls the
// runtime at each load and store, and a runtime in which these calls write to the
// tape of the rank that runs.
package oracle
