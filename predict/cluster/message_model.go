package cluster

import (
	"errors"
	"fmt"

	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// Messages predicts programs that pass messages from a trace without references. An instruction takes what processor.cpi says, with
// all misses of caches. The rest is the time of messages: see [Case.addMessages].
type Messages struct{}

var _ model.Model[*Case] = Messages{}

// Name returns "messages".
func (Messages) Name() string { return "messages" }

// Paper returns the key of [shen2024].
func (Messages) Paper() string { return "shen2024" }

// Predict needs the critical paths of a run with c.Processors processors, whose references were not analyzed.
func (v Messages) Predict(c *Case) (model.Prediction, error) {
	if err := c.check(); err != nil {
		return model.Prediction{}, err
	}
	r := c.run()
	switch {
	case r == nil:
		return model.Prediction{}, fmt.Errorf("model messages needs a run with %d processors; there are runs with %s", c.Processors, c.runSizes())
	case r.withoutMessages:
		return model.Prediction{}, fmt.Errorf("%s has only messages, whose time --without-messages leaves out", r.Name)
	case !r.onlyMessages:
		return model.Prediction{}, errHasReferences
	}
	if err := r.HasMessageTime(); err != nil {
		return model.Prediction{}, fmt.Errorf("the time of messages is not known: %w", err)
	}
	if r.messages.Instructions == 0 {
		return model.Prediction{}, fmt.Errorf("%s: the trace counts no instructions, so that there is no E(Instr); simulate it with predict replay", r.Name)
	}
	ideal := unit.Seconds(costsOf(c.Machine).instr / float64(c.Processors))
	pred := model.Prediction{EInstr: ideal, Split: model.Split{Ideal: ideal}, Limit: "ideal",
		Warnings: []error{fmt.Errorf("references were not analyzed: misses of caches cost nothing beyond processor.cpi")}}
	return c.ranksAlone().complete(pred, v.Name(), r)
}

// errHasReferences is why model messages is left out.
var errHasReferences = wrongTrace{errors.New("model messages is for traces without references; models curve and mva have caches, too")}
