/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of C11: glibc's are those of pthreads, with results of their own.
 */
static int result(int e) { return e == 0 ? 0 : e == EBUSY ? 1 : e == ENOMEM ? 3 : e == ETIMEDOUT ? 4 : 2; }
#define C11(f, parameters, call) EXPORT int f parameters { return result(call); }
C11(thrd_create, (pthread_t *t, int (*run)(void *), void *argument), pthread_create(t, NULL, (void *(*)(void *))(void *)run, argument))
C11(thrd_detach, (pthread_t t), pthread_detach(t))
C11(mtx_lock, (pthread_mutex_t *m), pthread_mutex_lock(m))
C11(mtx_trylock, (pthread_mutex_t *m), pthread_mutex_trylock(m))
C11(mtx_timedlock, (pthread_mutex_t *m, const struct timespec *until), pthread_mutex_timedlock(m, until))
C11(mtx_unlock, (pthread_mutex_t *m), pthread_mutex_unlock(m))
C11(cnd_wait, (pthread_cond_t *c, pthread_mutex_t *m), pthread_cond_wait(c, m))
C11(cnd_timedwait, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until), pthread_cond_timedwait(c, m, until))
C11(cnd_signal, (pthread_cond_t *c), pthread_cond_signal(c))
C11(cnd_broadcast, (pthread_cond_t *c), pthread_cond_broadcast(c))
EXPORT void call_once(pthread_once_t *c, void (*run)(void)) { pthread_once(c, run); }
EXPORT int thrd_join(pthread_t t, int *status) {
	void *returned;
	int e = pthread_join(t, &returned);
	if (!e && status) *status = (int)(intptr_t)returned;
	return result(e);
}
