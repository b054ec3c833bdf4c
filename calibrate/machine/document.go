package machine

// text is a quantity as the file has it, with or without quotes. It is parsed later, so that the error for a
// missing unit names its line.
type text struct {
	value string
	given bool
}

// UnmarshalText stores the text.
func (t *text) UnmarshalText(b []byte) error {
	*t = text{string(b), true}
	return nil
}

// document is a machine description as the TOML decoder reads it.
type document struct {
	Name      *string        `toml:"name"`
	About     *string        `toml:"about"`
	Source    *sourceText    `toml:"source"`
	Processor *processorText `toml:"processor"`
	Cache     []cacheText    `toml:"cache"`
	Shared    *cacheText     `toml:"shared_cache"`
	Memory    *memoryText    `toml:"memory"`
	Disk      *diskText      `toml:"disk"`
	Network   *networkText   `toml:"network"`
	Directory *directoryText `toml:"directory"`
	Messages  *messagesText  `toml:"messages"`
	TLB       *tlbText       `toml:"tlb"`
	System    *systemText    `toml:"system"`
	Node      []nodeKindText `toml:"node"`
}

type processorText struct {
	Clock       text     `toml:"clock"`
	CPI         *float64 `toml:"cpi"`
	CPF         *float64 `toml:"cpf"`
	Outstanding *int64   `toml:"outstanding"`
	Window      *int64   `toml:"window"`
	Ahead       *int64   `toml:"ahead"`
	Streams     *int64   `toml:"streams"`
}

type cacheText struct {
	Size    text   `toml:"size"`
	Line    text   `toml:"line"`
	Ways    *int64 `toml:"ways"`
	Latency text   `toml:"latency"`
}

type memoryText struct {
	Size       text    `toml:"size"`
	Latency    text    `toml:"latency"`
	Occupancy  text    `toml:"occupancy"`
	Invalidate text    `toml:"invalidate"`
	Placement  *string `toml:"placement"`
	Page       text    `toml:"page"`
}

type diskText struct {
	Latency text `toml:"latency"`
}

type networkText struct {
	Model  *string `toml:"model"`
	L      text    `toml:"L"`
	O      text    `toml:"o"`
	SmallG text    `toml:"g"`
	G      text    `toml:"G"`
	S      text    `toml:"S"`

	Sending   text    `toml:"o_s"`
	Receiving text    `toml:"o_r"`
	Gamma     text    `toml:"gamma"`
	Ports     *string `toml:"ports"`

	Interrupt  text `toml:"interrupt"`
	BufferCopy text `toml:"buffer_copy"`

	Size  []sizeText  `toml:"size"`
	Local *localText  `toml:"local"`
	Level []levelText `toml:"level"`

	SimGrid *simgridText `toml:"simgrid"`

	Gap      *string `toml:"gap"`
	Spacing  *string `toml:"spacing"`
	Topology *string `toml:"topology"`

	Latency    text    `toml:"latency"`
	Bandwidth  text    `toml:"bandwidth"`
	Efficiency text    `toml:"efficiency"`
	Header     text    `toml:"header"`
	Switch     text    `toml:"switch"`
	Sharing    *string `toml:"sharing"`
	Packet     text    `toml:"packet"`
	Rows       *int64  `toml:"rows"`
	Cols       *int64  `toml:"cols"`
	Arity      *int64  `toml:"arity"`

	Dims     []int64  `toml:"dims"`
	Down     []int64  `toml:"down"`
	Up       []int64  `toml:"up"`
	Parallel []int64  `toml:"parallel"`
	Taper    *float64 `toml:"taper"`
	Groups   *int64   `toml:"groups"`
	Chassis  *int64   `toml:"chassis"`
	Routers  *int64   `toml:"routers"`
	Hosts    *int64   `toml:"hosts"`
	Global   *int64   `toml:"global"`

	Rails   *int64  `toml:"rails"`
	Routing *string `toml:"routing"`
	Seed    *int64  `toml:"seed"`
}

type sizeText struct {
	Bytes     text `toml:"bytes"`
	Sending   text `toml:"o_s"`
	Receiving text `toml:"o_r"`
	Gap       text `toml:"g"`
}

type systemText struct {
	Target     *string `toml:"target"`
	Processors *int64  `toml:"processors"`
	Nodes      *int64  `toml:"nodes"`
	Protocol   *string `toml:"protocol"`
	Block      text    `toml:"block"`
}
