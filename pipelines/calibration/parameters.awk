# Prints the parameters in files of calibrate as CSV: what they are worth, not where they are from.
BEGIN { print "dataset,parameter,value,lo,hi,unit,n" }
FNR == 1 { dataset = FILENAME; sub(/.*\//, "", dataset); sub(/\.params\.toml$/, "", dataset) }
/^\[/ { name = substr($0, 2, length($0) - 2); value = lo = hi = unit = n = "-" }
/^value = / { value = $3 }
/^lo = / { lo = $3 }
/^hi = / { hi = $3 }
/^n = / { n = $3 }
/^unit = / { unit = $3; gsub(/"/, "", unit) }
/^source = / { print dataset "," name "," value "," lo "," hi "," unit "," n }
