package kernel

// Packages counted and recorded, the recording forms, are generated from this package.
//go:generate go run spoor/tracegen/instrument/mirror
