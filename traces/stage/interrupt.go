package stage

import "context"

// Interruptible runs f and returns its result. If ctx is cancelled first, Interruptible returns the error of ctx;
// f then keeps running until the process ends, and its result is lost.
func Interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}
