module example.com/sum

go 1.26.0

require spoor v0.0.0

// A module of its own replaces spoor by the folder where its sources lie.
replace spoor => ../../../..
