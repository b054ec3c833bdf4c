package main

import (
	"fmt"
	"strings"

	"spoor/calibrate/machine"
	"spoor/predict/internal/budget"
	"spoor/predict/internal/catalogue"
	"spoor/predict/internal/keyuse"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// readPrices reads the catalogue and what the flags say about it.
func (o *budgetOptions) readPrices(env *stage.Env, p *budget.Problem) error {
	prices, err := machine.ReadPrices(o.prices)
	if err != nil {
		return err
	}
	if p.Catalogue = (*catalogue.Catalogue)(prices.Catalogue); p.Catalogue == nil {
		return fmt.Errorf("reading %s: it has no [catalogue]; use a price list such as example1999", o.prices)
	}
	noteAll(env, keyuse.OfPrices(prices, p.Model.Name()))
	p.Budget, err = o.amount(p.Catalogue.Hourly)
	return err
}

// amount parses the budget, per hour if the prices are.
func (o *budgetOptions) amount(hourly bool) (unit.Dollars, error) {
	text, isHourly := strings.CutSuffix(strings.TrimSpace(o.money), "/h")
	switch {
	case isHourly && !hourly:
		return 0, stage.Usage("--budget %s is per hour, but %s has prices to buy; give an amount such as '$5000'", o.money, o.prices)
	case !isHourly && hourly:
		return 0, stage.Usage("--budget %s is not per hour, but %s has prices to rent; give an amount such as '$10/h'", o.money, o.prices)
	}
	d, err := unit.ParseDollars(text)
	if err != nil {
		return 0, stage.Usage("--budget: %v", err)
	}
	return d, nil
}
