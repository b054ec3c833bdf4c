package kernel

// The forms that are recorded, packages counted and recorded, are made of this one.
//go:generate go run spoor/tracegen/instrument/mirror
