// Package kernel holds the programs whose traces are studied, one in each file:
// real algorithms that compute results which are verified after every run. The
// data a kernel starts from (input, tables of roots and coefficients) exists
// before the ranks start, so that what is traced is the algorithm.
//
// [du2000] is X. Du, X. Zhang, Z. Zhu: Memory hierarchy considerations for
// cost-effective cluster computing. IEEE Transactions on Computers 49(9), 2000,
// pp. 915-933. It names its kernels but not their sizes; the defaults are
// ours. [woo1995] is S. C. Woo, M. Ohara, E. Torrie, J. P. Singh, A. Gupta: The
// SPLASH-2 programs: characterization and methodological considerations. ISCA
// 1995, pp. 24-36.
//
// [falsafi1997] is B. Falsafi, D. A. Wood: Modeling cost/performance of a parallel
// computer simulator. ACM Transactions on Modeling and Computer Simulation, 1997;
// sizes are those of its table 2. [higham2002] is N. J. Higham:
// Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, from which
// bounds of rounding errors are.
//
// [dickens1996] is P. M. Dickens, P. Heidelberger, D. M. Nicol: Parallelized direct
// execution simulation of message-passing parallel programs. IEEE Transactions on
// Parallel and Distributed Systems, 1996. [hur1999] is I. Hur,
// C. Lin: Incorporating cache effects into a model of interprocessor communication.
// The University of Texas at Austin, 1999.
//
// [sivasubramaniam1995] is A. Sivasubramaniam, A. Singla, U. Ramachandran, H.
// Venkateswaran: Abstracting network characteristics and locality properties of
// parallel systems. HPCA 1995; sizes are those of its appendix.
package kernel

import "spoor/tracegen/workload"

// All lists every kernel, in the order of tracegen --list: paper by paper.
var All = []workload.Kernel{
	FFT,
	LU,
	Radix,
	Edge,
	TPCC,
	Appbt,
	Barnes,
	Sparse,
	Tomcatv,
	Water,
	Transfer,
	Scan,
	ConvShift,
	ConvScan,
	Array,
	SOR,
	BPS,
	APUCS,
	PGL,
	EP,
	IS,
	FFTBlocked,
	CG,
	Cholesky,
}
