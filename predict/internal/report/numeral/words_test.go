package numeral

import (
	"math"
	"testing"
)

func TestWords(t *testing.T) {
	for _, row := range []struct{ got, want string }{
		{Digits(1234567, 3), "1.23·10⁶"}, {Digits(-2.5e-12, 3), "−2.5·10⁻¹²"}, {Digits(999_999_999, 3), "1·10⁹"}, {Digits(math.Inf(1), 3), "+∞"}, {Digits(123456, 3), "123456"}, {Digits(.00012345, 3), "0.000123"}, {Digits(1.5, 3), "1.5"}, {Digits(0, 3), "0"},
		{Digits(9.999, 3), "10"}, {Digits(-2, 3), "−2"}, {Digits(1e-9, 2), "1·10⁻⁹"}, {Digits(math.NaN(), 3), "–"},
		{Fixed(6), "6.000"}, {Fixed(12.34567), "12.35"}, {Fixed(123456), "123456"},
		{Count(999), "999"}, {Count(1000), "1\u2009000"}, {Count(61234567), "61\u2009234\u2009567"},
		{Percent(.0213), "2.1\u00a0%"}, {SignedPercent(.05), "+5.0\u00a0%"}, {SignedPercent(-.0001), "0.0\u00a0%"}, {SignedPercent(-.126), "−12.6\u00a0%"},
		{Bytes(65536), "64 KiB"}, {Bytes(96), "96 B"}, {Plural(1, "row"), "1 row"}, {Plural(0, "row"), "0 rows"},
	} {
		t.Run(row.got, func(t *testing.T) {
			if row.got != row.want {
				t.Errorf("got %q, want %q", row.got, row.want)
			}
		})
	}
}
