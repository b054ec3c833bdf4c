// Bigints computes factorials, powers and digits of large integers.
package main

import (
	"math/big"
	"os"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(*spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		f := big.NewInt(1)
		for i := range int64(1500) {
			f.Mul(f, big.NewInt(i+1))
		}
		p := new(big.Int).Exp(big.NewInt(3), big.NewInt(2000), nil)
		q, m := new(big.Int).DivMod(f, p, new(big.Int))
		e := new(big.Int).Exp(big.NewInt(7), m, new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 521), big.NewInt(-1)))
		s := q.String() + e.String()
		if _, ok := new(big.Int).SetString(s, 10); !ok {
			panic(s)
		}
		return nil
	})
}
