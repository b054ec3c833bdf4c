// Package oracle compares recordings with what the compiler's own instrumentation
// sees of the same programs. The kernels are compiled with -msan, which makes every
// load and store that the compiler knows call the runtime, and with a runtime in
// which these calls write to the tape of the rank that runs; everything else
// is a recording as any other. Both recordings must have the same references in
// the same order: the same operation, size and address, but for these rules.
//
//   - A complex number is one access of the compiler's, and two references of a
//     recording: of its real and of its imaginary part, as machine code has it.
//   - A struct that is loaded or stored as a whole is one reference of a recording; of
//     small ones the compiler sees the fields, in order.
//   - A value of more than a word that is copied to a variable on the stack is one
//     load of a recording; the compiler's instrumentation leaves out copies to the
//     stack, source and all.
//   - The compiler does not see atomic operations, which a recording has.
//   - Generic code of package spmd is compiled along with the kernels that use it, so
//     that the compiler sees its accesses, which no recording has.
//
// The last two rules cannot be told from mistakes: the test names the kernels that it
// leaves out because of them.
package oracle
