module example.com/ways

go 1.26.0

require spoor v0.0.0

replace spoor => ../../../..
