/* SPDX-License-Identifier: Apache-2.0
 *
 * Records the MPI calls of a program into one file for each rank. It is preloaded into a program that uses a shared library of
 * MPI, and is compiled by the mpicc of that library. SPOOR_MPI names the folder of the files (default spoor-mpi).
 *
 * Each function of MPI is defined as MPI_X and as PMPI_X, since the Fortran of some libraries calls PMPI_X. The library's own
 * function is found behind it. MPI functions that the library calls itself are not recorded.
 *
 * Computation is the processor time of the thread. Waiting is not computation, and what MPI does besides waiting is:
 * - A call that cannot wait (an Isend, a Test) is all computation, also one in vain. Only its record reads the clock.
 * - A call that can wait for one message polls by the library's Test. Each poll in vain but the last is waiting, and costs the
 *   least that a poll of this rank cost so far. The rest is computation, such as copies.
 * - A collective has its processor time in the file. The import finds out which part is waiting.
 *
 * If the recorder of references is preloaded, too (preload.c), it counts computation. Then each call with records has a mark.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#pragma GCC visibility push(default)
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <mpi.h>

#if MPI_VERSION < 3
#error "the recorder needs MPI 3.0 or newer"
#endif

#include "mpi_real.h"
#include "mpi_record.h"
#include "mpi_datatypes.h"
#include "mpi_communicators.h"
#include "mpi_requests.h"
#include "mpi_messages.h"
#include "mpi_completion.h"
#include "mpi_collectives.h"
#include "mpi_topologies.h"
#include "mpi_missed.h"
#include "mpi_start.h"
