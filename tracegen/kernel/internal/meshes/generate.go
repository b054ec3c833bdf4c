package meshes

// File generated_forms.go is generated from this package. The file forms.go lists the forms.
//go:generate go run spoor/tracegen/instrument/mirror
