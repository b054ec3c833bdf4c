package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"spoor/predict/internal/message"
	"spoor/traces/stage"
)

// blocksCommand is predict message blocks.
func blocksCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "blocks --params P...",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "message-blocks", namesAndDocs(message.Regions, func(r message.Region) (string, string) { return r.Name, r.Doc }))
	var laws lawFlags
	var arrays arrayFlags
	var region string
	flags := cmd.Flags()
	laws.add(flags)
	arrays.add(flags)
	flags.StringVar(&region, "region", "lower", "`NAME` of the region")
	stage.Group(flags, "Arrays", "region")
	stage.Complete(cmd, "region", func() (names []string) {
		for _, r := range message.Regions {
			names = append(names, r.Name)
		}
		return names
	})
	cmd.RunE = func(*cobra.Command, []string) error {
		if laws.printed {
			return stage.Usage("the paper has no equations for block-cyclic distributions; omit --as-printed")
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
			return stage.Usage("--size needs one size here, not %d", len(cases))
		}
		all, err := laws.laws(env)
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
		return fmt.Errorf("distributing %dx%d: %w", c.Rows, c.Cols, err)
	}
	var all []message.Prediction
	for _, d := range rows {
		all = append(all, d.Prediction)
	}
	t := message.DistributionTable(rows, append(message.Facts(all), messageFacts...))
	if err := flags.report(env, t, t, all); err != nil || flags.output.format != stage.Human {
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
