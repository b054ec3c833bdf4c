package cluster

import (
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// rates returns CPI and transaction rates from E(Instr) of p on c, for transactions of the given number of
// instructions, or only CPI if it is 0 [du2000, sec. 5]. With n processors in all, each of clock rate CR,
//
//	CPI = n E(Instr) CR,  E(Tran) = n E(Instr) I,  60 s/min n/E(Tran) transactions per minute
//
// where n E(Instr) is the time of an instruction of one processor. Transactions are of all kinds. TPC-C counts
// New-Order only, which are at most 45 % of them.
//
// Differs: the text uses E(Instr) itself in the first two, which by (3.4) is that of all processors together,
// and n/E(Tran) without the 60 s of a minute. With printed, this function does the same.
func rates(p model.Prediction, c *Case, instructions float64, printed bool) (out []model.Term) {
	n, each := float64(p.Processors), float64(p.EInstr)*float64(p.Processors)
	minute := 60.0
	if printed {
		each, minute = float64(p.EInstr), 1
	}
	out = []model.Term{{Symbol: "CPI", Value: each * float64(c.Machine.Processor.Clock), Unit: "cycles", What: "per instruction of a processor, waiting included (sec. 5)"}}
	if instructions > 0 {
		out = append(out, model.Term{Symbol: "E(Tran)", Value: float64(unit.Seconds(each * instructions)), Unit: "s", What: "of a transaction (sec. 5)"},
			model.Term{Symbol: "tpm", Value: minute * n / (each * instructions), Unit: "1/min", What: "transactions of all kinds per minute (sec. 5)"})
	}
	return out
}
