module measure

go 1.26.0
