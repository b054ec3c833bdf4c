package kernel

// The forms that are recorded are made of the files of this package.
//go:generate go run spoor/tracegen/instrument/mirror
