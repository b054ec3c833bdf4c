// Package oracle compares recordings with the compiler's own memory instrumentation of the same programs. The
// kernels are compiled with -msan. Then every load and store that the compiler knows calls the runtime. A modified
// runtime writes these calls to the tape of the running rank. The rest is a normal recording. Both recordings must
// have the same references in the same order, with the same operation, size and address. There are these
// exceptions:
//
//   - A complex number is one access for the compiler, and two references in a recording: its real and its imaginary part,
//     as in machine code.
//   - A struct that is loaded or stored as a whole is one reference in a recording. For a small struct, the compiler sees
//     its fields, in order.
//   - A value of more than a word that is copied to a variable on the stack is one load in a recording. The compiler's
//     instrumentation omits the load and the store of such copies.
//   - The compiler does not see atomic operations. A recording has them.
//   - Generic code of package spmd is compiled with the kernels that use it. The compiler sees its accesses. A recording
//     does not have them.
//
// The last two exceptions cannot be distinguished from mistakes. The test lists the kernels that it omits because
// of them.
package oracle
