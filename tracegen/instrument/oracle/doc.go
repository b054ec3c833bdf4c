// Package oracle compares recordings with what the compiler's own instrumentation
// sees of the same programs. The kernels are compiled with -msan, which makes every
// load and store that the compiler knows call the runtime, and with a runtime in
// which these calls write to the tape of the rank that runs; everything else
// is a recording as any other. Both recordings must have the same references in
// the same order: the same operation, size and address, but for these rules.
//
//   - A complex number is one access of the compiler's, and two references of a
//     recording: of its real and of its imaginary part, as machine code has it.
package oracle
