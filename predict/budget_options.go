package main

import (
	"github.com/spf13/cobra"

	"spoor/predict/internal/budget"
	"spoor/predict/internal/published"
	"spoor/traces/stage"
)

// budgetOptions are the flags of predict budget and predict upgrade.
type budgetOptions struct {
	modelRuns
	prices, money, have      string
	model, objective         string
	modelError, vary         string
	minMemory, minTotal, due string
	limits                   budget.Limits
	top                      int
	beaten                   bool
	published                published.Options
	output                   budgetOutput
}

// declare adds the flags that both commands have.
func (o *budgetOptions) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	o.modelRuns.add(flags)
	stage.PathVar(flags, &o.prices, "prices", "price list `FILE` with a [catalogue]")
	flags.StringVar(&o.money, "budget", "", "`MONEY` to spend at most: '$5000', or '$10/h' for rent")
	flags.StringVar(&o.model, "model", "", "`NAME` of the model: paper, curve, mva or messages (default \"curve\")")
	o.published.Add(flags)
	flags.StringVar(&o.objective, "objective", "time", "`NAME` of what to minimize: time, cost-per-job or time-cost")
	flags.BoolVar(&o.limits.PowerOfTwo, "power-of-two", false, "only numbers of processors that are powers of two")
	flags.IntVar(&o.limits.MaxNodes, "max-nodes", 0, "largest number of nodes (default any)")
	flags.IntVar(&o.limits.MinProcessors, "min-processors", 0, "least number of processors in all (default 1)")
	flags.IntVar(&o.limits.MaxProcessors, "max-processors", 0, "largest number of processors in all (default any)")
	flags.StringVar(&o.minMemory, "min-memory", "", "least `SIZE` of memory in each node")
	flags.StringVar(&o.minTotal, "min-total-memory", "", "least `SIZE` of memory in all nodes together")
	flags.StringVar(&o.due, "deadline", "", "longest `TIME` of the run, such as 10s")
	flags.Float64Var(&o.limits.Jobs, "jobs", 0, "`NUMBER` of runs that the machine does in a month, one after the other (default any)")
	flags.StringVar(&o.modelError, "model-error", "", "error of the model: a `SHARE` such as 16%, or a table of predict compare -o")
	flags.StringVar(&o.vary, "vary", "10%", "`SHARE` by which to vary parameters")
	flags.StringVar(&o.output.spread, "price-spread", "", "print only the winners with prices that differ by up to a `SHARE`, in 100 draws")
	flags.IntVar(&o.top, "top", 10, "`NUMBER` of machines to rank")
	flags.BoolVar(&o.beaten, "beaten", false, "rank also machines that another one beats in time and price")
	flags.BoolVar(&o.output.front, "front", false, "print only the front")
	flags.BoolVar(&o.output.sensitivity, "sensitivity", false, "print only the effect of varied parameters")
	o.output.add(flags, "write the ranking as an Arrow table to `FILE`, for predict report")
	flags.StringVar(&o.output.machines, "machines", "", "write the ranked machines as files into `DIR`, for predict replay")
	stage.Group(flags, "Input", "params", "prices", "budget", "without-messages")
	stage.Group(flags, "Decision", "objective", "model", "model-error", "as-printed", "law", "raise-remote", "without-barriers", "vary")
	stage.Group(flags, "Limits", "deadline", "jobs", "max-nodes", "min-processors", "max-processors", "power-of-two", "min-memory", "min-total-memory")
	stage.Group(flags, "Output", "top", "beaten", "front", "sensitivity", "price-spread", "format", "output", "machines")
	stage.Complete(cmd, "model", clusterModels)
	stage.Complete(cmd, "objective", func() (names []string) {
		for _, o := range budget.Objectives {
			names = append(names, o.Name)
		}
		return names
	})
}
