package cluster

// times divides the time of one processor by cause, in seconds.
type times struct{ ideal, latency, contention, sync float64 }

func (t times) total() float64 { return t.ideal + t.latency + t.contention + t.sync }

// counted returns the unit of counted times in seconds.
func (c *costs) counted() float64 {
	if c.inInstr {
		return c.instr
	}
	return c.step
}
