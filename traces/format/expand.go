package format

import (
	"fmt"
	"spoor/traces/internal/format"
)

// ExpandFolder lists the files of the trace in a folder, and finds the format from the
// names of the files. im is the importer, or nil to try all of them.
func ExpandFolder(dir string, im format.Importer) ([]string, format.MultiFileImporter, error) {
	var found format.MultiFileImporter
	var files []string
	for _, f := range All {
		joint, ok := f.(format.MultiFileImporter)
		if !ok || im != nil && im.Info().Name != joint.Info().Name {
			continue
		}
		these, err := joint.Expand(dir)
		if err != nil {
			return nil, nil, err
		}
		if len(these) > 0 && found != nil {
			return nil, nil, fmt.Errorf("%s: the folder could be %s or %s; choose one with --from", dir, found.Info().Name, joint.Info().Name)
		}
		if len(these) > 0 {
			found, files = joint, these
		}
	}
	if found == nil {
		return nil, nil, fmt.Errorf("%s: no trace of several files recognised in the folder; give the files themselves", dir)
	}
	return files, found, nil
}
