package format

// Confidence is how sure an importer is that it can read an input.
type Confidence uint8

// The confidences, lowest first. The zero Confidence is not valid.
const (
	Foreign  Confidence = 1 + iota // not this format
	Nearly                         // most lines fit; only an error names the format
	Possible                       // all fits, but only the user can know; never chosen, but another guess is refused
	Likely                         // all fits, but the format has no magic
	Certain                        // has a mark that no other format has
)

// Verdict is an importer's confidence in an input, and the reason.
type Verdict struct {
	Confidence Confidence
	Why        string // "lines of label and hexadecimal address"
}
