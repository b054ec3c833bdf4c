package store

import (
	"io"

	"spoor/traces/internal/outfile"
)

// WriteFileAtomic makes the file at path appear complete or not at all. It calls fill to write a temporary file,
// which it renames when all is on the disk. It fails if another process is writing the file. If path is a symbolic
// link, the file that it leads to is replaced. Devices, pipes and descriptors get the complete contents.
func WriteFileAtomic(path string, fill func(io.Writer) error) error {
	return outfile.WriteFileAtomic(path, fill)
}

// CheckWritable returns an error if WriteFileAtomic could not create the file at path. It leaves no file behind.
func CheckWritable(path string) error { return outfile.CheckWritable(path) }

// HasFileName reports whether path, with or without the suffix of a trace, ends in a name. The path of a folder does
// not: with a suffix appended, it would be a hidden file in the folder.
func HasFileName(path string) bool { return outfile.HasFileName(path) }

// ErrBusy is the error of a file or folder that another process is writing.
var ErrBusy = outfile.ErrBusy

// StagingFolder is a subfolder for files until all of them are complete.
type StagingFolder = outfile.StagingFolder

// NewStagingFolder creates the empty folder dir/.partial. It removes the files of a killed run. It fails if another
// process is writing there.
func NewStagingFolder(dir string) (*StagingFolder, error) { return outfile.NewStagingFolder(dir) }
