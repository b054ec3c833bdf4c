// Package message predicts what the messages of parallel programs cost, from how many bytes they have and
// how many memory lines are touched when they are packed and unpacked.
//
// A message of n bytes that touches MLT lines takes
//
//	t = alpha + beta n + gamma MLT   [hur1999, eq. 2]
//
// in model M1; S1 is without the last term, M1x knows the lines exactly, page adds the memory pages, and level instead pieces and bytes beyond a cache. Statements
// on whole arrays take the same form, with n loads and stores, and delta for each arithmetic operation [hur1999, eq. 12]. The
// coefficients are of a machine: calibrate fit finds them from its times ([spoor/calibrate/fit/marshalling]).
//
// # Programs
//
// An array of L_R x L_C items is divided into blocks over a mesh of P_r x P_c processors, b_r = ceil(L_R/P_r) rows by b_c =
// ceil(L_C/P_c) columns each, which lie in memory row by row. Every processor does the same steps on its block, and the time
// of an [Operation] is the sum over its steps: messages and statements [hur1999, sec. 7]. A row is
// contiguous, a column is not: it has as many bytes and touches many more lines.
//
// [Events] does the same with the messages of a recorded trace, whose buffers are known.
//
// # As printed
//
// Options.Printed has the equations as the paper prints them, so that it can be checked: MLT is the mean of the bounds of
// eqs. 3-6 wherever the block is more than two lines wide, although the lower one fails where rows share lines;
// coefficients are those of least squares, in which large messages decide; and a scan is a law of its own, of
// two rows or columns and an operation for each item [hur1999, sec. 6]. By default MLT is what the fit has used
// ([marshalling.Of]) with addresses that are not known averaged over, coefficients are those of non-negative
// least squares of relative errors, and a scan is composed of its steps.
//
// [hur1999] I. Hur, C. Lin: incorporating cache effects into a model of interprocessor
// communication. UT Austin, 1999.
package message

// Paper is the key of the paper that the models are from.
const Paper = "hur1999"
