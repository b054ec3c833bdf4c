package report

import (
	"math"
	"strconv"
	"strings"
)

// unknown stands where a number is not known.
const unknown = "–"

// number prints v with the given number of significant digits. From a million on and below a millionth it uses a
// power of ten.
func number(v float64, digits int) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return unknown
	case a != 0 && (a < 1e-6 || a >= 1e6):
		return byPower(v, digits)
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

// byPower prints v as "2.1·10⁶".
func byPower(v float64, digits int) string {
	if math.IsInf(v, 0) {
		return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "Inf", "∞", 1)
	}
	m, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	power, _ := strconv.Atoi(e)
	return plain(m) + "·10" + superscripts.Replace(strconv.Itoa(power))
}

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// fixed prints a time with four significant digits, all of them.
func fixed(v float64) string {
	a := math.Abs(v)
	if a < 1e-6 || a >= 1e9 {
		return number(v, 4)
	}
	return strconv.FormatFloat(v, 'f', max(0, 3-int(math.Floor(math.Log10(a)))), 64)
}

// count prints a whole number with thin spaces between thousands.
func count(v float64) string {
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u2009" + s[i:]
	}
	return s
}

// percent prints a fraction as "2.1 %", which no line break divides.
func percent(v float64) string { return number(100*v, 2) + "\u00a0%" }

// signedPercent prints a relative error as "+2.1 %", to a tenth of a percent.
func signedPercent(v float64) string {
	s := strconv.FormatFloat(100*v, 'f', 1, 64)
	if s == "0.0" || s == "-0.0" {
		return "0.0\u00a0%"
	}
	if !strings.HasPrefix(s, "-") {
		s = "+" + s
	}
	return strings.Replace(s, "-", "−", 1) + "\u00a0%"
}
