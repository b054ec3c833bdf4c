package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spoor/predict/message"
	"spoor/traces/stage"
)

const blocksExample = `  $ predict message blocks --param M1_alpha=20us --param M1_beta=1ns/B --param M1_gamma=30ns/line --param array_M1_alpha=1us --param array_M1_beta=1ns/access --param array_M1_gamma=10ns/line --size 1024x1024 --mesh 4x4 --region lower`

// blocksCommand is predict message blocks.
func blocksCommand(env *stage.Env) *cobra.Command {
	var regions strings.Builder
	for _, r := range message.Regions {
		fmt.Fprintf(&regions, "  %-6s %s\n", r.Name, r.Doc)
	}
	cmd := &cobra.Command{
		Use:   "blocks --params P...",
		Short: "which size of blocks suits a block-cyclic distribution",
		Long: "Blocks predicts A = A + A@west + A@north in a region of an array that is dealt out to a mesh of processors in square\n" +
			"blocks, for all sizes of blocks that give every processor as many rows and columns. Small blocks balance the region\n" +
			"and have more edges, which are sent: the trade-off for which [hur1999, sec. 8] wants to use its model. imbalance is\n" +
			"how many more items than the mean the busiest processor has. Advice is by the last of the models. Regions:\n" + strings.TrimSuffix(regions.String(), "\n"),
		Example: blocksExample,
		Args:    cobra.NoArgs,
	}
	var laws lawFlags
	var arrays arrayFlags
	var region string
	flags := cmd.Flags()
	laws.add(flags)
	arrays.add(flags)
	flags.StringVar(&region, "region", "lower", "`NAME` of the region")
	cmd.RunE = func(*cobra.Command, []string) error {
		if laws.printed {
			return stage.Usage("the paper prints nothing about block-cyclic distributions; leave out --as-printed")
		}
		r, err := message.RegionNamed(region)
		if err != nil {
			return stage.Usage("--region: %v", err)
		}
		cases, err := arrays.cases()
		if err != nil {
			return err
		}
		if len(cases) != 1 {
			return stage.Usage("--size takes one size here, not %d", len(cases))
		}
		all, err := laws.laws()
		if err != nil {
			return err
		}
		return blocks(env, &laws, all[len(all)-1], cases[0], r)
	}
	return cmd
}

func blocks(env *stage.Env, flags *lawFlags, l *message.Laws, c message.Case, r message.Region) error {
	rows, err := l.BlockCyclic(c, r)
	if err != nil {
		return fmt.Errorf("dealing out %dx%d: %w", c.Rows, c.Cols, err)
	}
	var all []message.Prediction
	for _, d := range rows {
		all = append(all, d.Prediction)
	}
	t := message.DistributionTable(rows, append(message.Facts(all), messageFacts...))
	if err := flags.report(env, t, t, all); err != nil || *flags.format != stage.Human {
		return err
	}
	best, next := message.Advise(rows)
	fmt.Fprintf(env.Out, "advice by model %s: blocks of %d", l.Model.Name, best.Block)
	if next != nil {
		fmt.Fprintf(env.Out, "; blocks of %d take %.1f %% more", next.Block, 100*float64(next.Prediction.Time/best.Prediction.Time-1))
		if next.Prediction.Lo <= best.Prediction.Hi {
			fmt.Fprint(env.Out, ", which is within the intervals")
		}
	}
	fmt.Fprintln(env.Out)
	return nil
}
