// Package numeral prints numbers as people read them in pages and figures: few digits, powers of ten, signs of print.
package numeral

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spoor/traces/unit"
)

// Unknown stands where a number is not known.
const Unknown = "–"

// Digits prints v with the given number of significant digits. From a million on and below a millionth it uses a
// power of ten.
func Digits(v float64, digits int) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return Unknown
	case a != 0 && (a < 1e-6 || a >= 1e6):
		return ByPower(v, digits)
	case a == 0:
		return "0"
	}
	return plain(strconv.FormatFloat(v, 'f', max(0, digits-1-int(math.Floor(math.Log10(a)))), 64))
}

// plain leaves out zeros at the end of decimals, and has the sign that minus has in print.
func plain(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return strings.Replace(s, "-", "−", 1)
}

// ByPower prints v as "2.1·10⁶".
func ByPower(v float64, digits int) string {
	if math.IsInf(v, 0) {
		return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "Inf", "∞", 1)
	}
	m, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	power, _ := strconv.Atoi(e)
	return plain(m) + "·10" + superscripts.Replace(strconv.Itoa(power))
}

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// Fixed prints a time with four significant digits, all of them.
func Fixed(v float64) string {
	a := math.Abs(v)
	if a < 1e-6 || a >= 1e9 {
		return Digits(v, 4)
	}
	return strconv.FormatFloat(v, 'f', max(0, 3-int(math.Floor(math.Log10(a)))), 64)
}

// Count prints a whole number with thin spaces between thousands.
func Count(v float64) string {
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u2009" + s[i:]
	}
	return s
}

// Percent prints a fraction as "2.1 %", which no line break divides.
func Percent(v float64) string { return Digits(100*v, 2) + "\u00a0%" }

// SignedPercent prints a relative error as "+2.1 %", to a tenth of a percent.
func SignedPercent(v float64) string {
	s := strconv.FormatFloat(100*v, 'f', 1, 64)
	if s == "0.0" || s == "-0.0" {
		return "0.0\u00a0%"
	}
	if !strings.HasPrefix(s, "-") {
		s = "+" + s
	}
	return strings.Replace(s, "-", "−", 1) + "\u00a0%"
}

// Bytes prints a size as "64 KiB", and other numbers of bytes as they are.
func Bytes(v float64) string {
	if v < 1 || v >= math.Exp2(62) {
		return Digits(v, 3) + " B"
	}
	s := unit.Bytes(v).String()
	digits := strings.TrimRight(s, "BKMGTi")
	return digits + " " + s[len(digits):]
}

// Plural counts things: "1 row", "2 rows".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
