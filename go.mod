module spoor

go 1.26.0

require (
	// The reference for our files: what it reads and writes is what they are held to.
	github.com/apache/arrow/go/v15 v15.0.2
	// Arrow's own encoding of message metadata; Arrow needs it anyhow.
	github.com/google/flatbuffers v25.12.19+incompatible
	// Names of functions of C++ and Rust as in their source.
	github.com/ianlancetaylor/demangle v0.0.0-20260724033716-83e58baca724
	// zstd of all files; gzip and zstd of imported ones.
	github.com/klauspost/compress v1.20.3
	// Imported traces in lz4; Arrow needs it anyhow.
	github.com/pierrec/lz4/v4 v4.1.33
	// Machine and parameter files: strict, and errors know their line.
	github.com/pelletier/go-toml/v2 v2.4.3
	// Rate and time left on terminals.
	github.com/schollz/progressbar/v3 v3.19.1
	// Command trees with help and examples.
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.10
	// Imported traces in xz; maintained, pure Go.
	github.com/ulikunitz/xz v0.5.17
	// Disassembly of compiled kernels, whose instructions are counted.
	golang.org/x/arch v0.32.0
	// Descriptors and limits of the system that package syscall lacks.
	golang.org/x/sys v0.49.0
	// Whether standard error is a terminal.
	golang.org/x/term v0.47.0
	// Loads and type-checks the packages that are instrumented.
	golang.org/x/tools v0.52.0
	// Linear algebra, distributions, and the FFT that the FFT kernel is verified against.
	gonum.org/v1/gonum v0.17.0
	// Imported traces in protocol buffers, field by field, without generated code.
	google.golang.org/protobuf v1.36.12
	// Keys of key-value traces as numbers; Arrow needs it anyhow.
	github.com/zeebo/xxh3 v1.0.2
	// The plots of reports, as SVG.
	gonum.org/v1/plot v0.17.0
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/goccy/go-json v0.10.2 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/cpuid/v2 v2.2.5 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/exp v0.0.0-20231110203233-9a3e6036ecaa // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/image v0.30.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/telemetry v0.0.0-20261009151841-97e8ea77aa2a // indirect
	golang.org/x/text v0.28.0 // indirect
	golang.org/x/xerrors v0.0.0-20220907171357-04be3eba64a2 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

// Static analysis in make test, of one version for everybody.
tool honnef.co/go/tools/cmd/staticcheck
