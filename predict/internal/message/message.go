// Package message predicts the cost of the messages of parallel programs. It uses the bytes of a message and
// the number of memory lines that packing and unpacking touches (MLT).
//
// A message of n bytes that touches MLT lines takes
//
//	t = alpha + beta n + gamma MLT   [hur1999, eq. 2]
//
// in model M1. The other models vary this:
//
//   - S1 is without the last term.
//   - M1x counts the lines exactly.
//   - page adds the memory pages.
//   - level adds pieces and bytes beyond a cache instead.
//
// Statements on whole arrays have the same form, with n loads and stores, and delta for each arithmetic
// operation [hur1999, eq. 12]. The coefficients belong to a machine. Command calibrate fit computes them from
// times measured there ([spoor/calibrate/packing]).
//
// # Programs
//
// An array of L_R x L_C items is divided into blocks over a mesh of P_r x P_c processors. A block has b_r =
// ceil(L_R/P_r) rows by b_c = ceil(L_C/P_c) columns, and lies in memory row by row. Every processor does the
// same steps on its block. The time of an [Operation] is the sum over its steps: messages and statements
// [hur1999, sec. 7]. A row is contiguous. A column is not: it has as many bytes as a row of equal length and
// touches many more lines.
//
// [Events] predicts the messages of a recorded trace, which has the layouts of the buffers.
//
// # As printed
//
// Options.Printed uses the equations as the paper prints them, to check the paper:
//
//   - MLT is the mean of the bounds of eqs. 3-6 wherever the block is more than two lines wide, although the lower bound fails
//     where rows share lines.
//   - Coefficients are those of least squares, which large messages dominate.
//   - A scan has its own formula, with two rows or columns and an operation for each item [hur1999, sec. 6].
//
// By default, MLT is the count that the fit used ([packing.Of]), averaged over unknown addresses.
// Coefficients are those of non-negative least squares of relative errors. A scan is the sum of its steps.
package message

// paper is the key of the paper that describes the models.
const paper = "hur1999"
