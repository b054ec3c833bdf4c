package objects

import (
	"bytes"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// Twitter is the CSV of requests of Twitter's cache clusters. It has no header. The
// columns are time in seconds, key, key size, value size, client, operation and time to
// live.
type Twitter struct{}

var (
	_ format.Importer = Twitter{}
)

// Info describes the format.
func (Twitter) Info() format.Info {
	return format.Info{
		Name:  "twitter",
		Doc:   "Twitter's cache traces: time,key,key size,value size,client,operation,TTL",
		Magic: "none; guessed from lines of seven such columns",
		Example: `  $ printf '0,key1,4,100,1,get,0\n1,key2,4,64,1,set,60\n' > requests.csv
  $ traces import requests.csv --from twitter -o requests`,
		Parts: []format.Part{{Name: "column 1, time", Doc: keyTimeDoc}, {Name: "column 2, key", Doc: keyKeyDoc}, {Name: "column 4, value size", Doc: "bytes, a whole number"},
			{Name: "column 6, operation", Doc: keyOpDoc()}},
		Settings: []format.Setting{settingBlock},
	}
}

var (
	twitterColumns = []keyColumn{keyTime, keyKey, 0, keySize, 0, keyOp, 0}
	twitterNames   = []string{"time", "key", "key size", "value size", "client", "operation", "TTL"}
)

const twitterSniffLines = 100

// Sniff is Likely if all lines have the seven columns.
func (Twitter) Sniff(head []byte) format.Verdict {
	why := "lines of seven columns that can be time, key, two sizes, client, operation and TTL"
	return sniff.SniffText(head, twitterSniffLines, why, func(line []byte) bool {
		f := bytes.Split(line, []byte{','})
		if len(f) != len(twitterColumns) {
			return false
		}
		for _, i := range []int{0, 2, 3, 6} {
			if _, problem := input.ParseDecimal(f[i]); problem != "" {
				return false
			}
		}
		_, known := keyWord(f[5])
		return known
	})
}

// Import parses all of in.
func (f Twitter) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	objects, err := newObjects(sink, o, f)
	if err != nil {
		return format.Result{}, err
	}
	p := keyTable{Objects: objects, sep: ',', op: keyWord, cols: twitterColumns, names: twitterNames}
	return p.run(in)
}
