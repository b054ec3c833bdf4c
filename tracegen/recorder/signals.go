package recorder

import (
	"os"
	"os/signal"
	"syscall"
)

// forward sends the signals that would end this process to the program instead, which decides what to do. The terminal sends its
// own to both. The function that it returns ends that.
func forward(program *os.Process) (stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		for s := range signals {
			if s == syscall.SIGTERM || !foreground() {
				_ = program.Signal(s) // it may have ended
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
