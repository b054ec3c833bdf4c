module example.com/library

go 1.26.0
