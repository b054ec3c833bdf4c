package du2000

// Files counted_forms.go and recorded_forms.go are generated from this package. The file forms.go lists the forms.
//go:generate go run spoor/tracegen/instrument/mirror
