/* SPDX-License-Identifier: Apache-2.0
 *
 * Futexes: a part of preload.c, and not to be compiled alone. Waits of std::atomic and the locks of Rust call them. Whether they
 * do depends on time: the order of the recording is kept.
 */
#include <linux/futex.h>
#include <sys/syscall.h>

EXPORT long syscall(long number, ...) {
	va_list more;
	long a[6];
	va_start(more, number);
	for (int i = 0; i < 6; i++) a[i] = va_arg(more, long);
	va_end(more);
	int what = number == SYS_futex ? (int)a[1] & FUTEX_CMD_MASK : -1;
	bool waits = what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET, wakes = what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET;
	find();
	if (INTERNAL || !(waits || wakes)) return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (waits) mark(UNFOLLOWED, FUTEX, ONLY, 0);
	mark(wakes ? SIGNAL : QUIET, a[0], BEGIN, 0);
	long r = REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	mark(waits && r == 0 ? WAIT : QUIET, a[0], LEAVE, 0);
	return r;
}
