package experiments

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winperf/winperf/cmd/winperf/internal/trial"
)

type compared struct {
	name    string
	groups  []trial.Group
	sensors *trial.Sensors
}

func (r *runner) compareFolders(folders []string) error {
	for _, flag := range slices.Concat(ofCommands, []string{"seed", "check", "output"}) {
		if r.changed(flag) {
			return fmt.Errorf("--%s cannot be combined with --compare, which runs nothing", flag)
		}
	}
	if len(folders) < 1 || len(folders) > 2 {
		return fmt.Errorf("--compare takes one or two results directories but got %d", len(folders))
	}
	var all []compared
	for _, folder := range folders {
		c, err := r.readFolder(folder)
		if err != nil {
			return err
		}
		all = append(all, c)
	}

	var b strings.Builder
	for _, groups := range tables(all) {
		writeComparison(&b, groups)
	}
	writeSensors(&b, folders, all)
	if b.Len() == 0 {
		return errors.New("nothing to compare: no run succeeded, and no sensor is in all results directories")
	}
	_, err := fmt.Fprint(r.app.Stdout, strings.TrimPrefix(b.String(), "\n"))
	return err
}

// writeSensors writes the values of sensors: for the commands of one folder side by side, or for two
// folders.
func writeSensors(b *strings.Builder, folders []string, all []compared) {
	if len(all) > 1 {
		columns := []column{{name: folders[0]}, {name: folders[1]}}
		if rows := trial.CompareSensors([]*trial.Sensors{all[0].sensors, all[1].sensors}); len(rows) > 0 {
			writeRows(b, columns, rows)
		}
		return
	}

	var names []string
	for _, g := range all[0].groups {
		names = append(names, g.Name)
	}
	if rows := all[0].sensors.CompareCommands(names); len(rows) > 0 {
		writeRows(b, runColumns(all[0].groups), rows)
	}
	if rows := all[0].sensors.Rest(names); len(rows) > 0 {
		writeRows(b, []column{{name: folders[0]}}, rows)
	}
}

func (r *runner) readFolder(folder string) (c compared, err error) {
	c.name = filepath.Base(filepath.Clean(folder))
	results, err := trial.ReadRuns(folder)
	if err != nil {
		return c, err
	}
	var failed int
	if c.groups, failed = trial.Variants(results); failed > 0 {
		r.app.Partial = true
		r.app.Complain(fmt.Errorf("%s: %d failed runs are omitted", folder, failed))
	}
	conditions, err := trial.ReadConditions(folder)
	if err != nil {
		return c, err
	}
	if of := len(conditions.Plan); len(results) < of {
		r.app.Partial = true
		r.app.Complain(fmt.Errorf("%s: has %d of %d runs of the plan", folder, len(results), of))
	}

	if c.sensors, err = trial.ReadSensors(folder, conditions, results); err != nil {
		return c, err
	}
	if n := c.sensors.Failed; n > 0 {
		r.app.Complain(fmt.Errorf("%s: %d records of these runs are omitted", folder, n))
	}
	if n := c.sensors.Stray; n > 0 {
		r.app.Complain(fmt.Errorf("%s: %d records of runs killed earlier are omitted", folder, n))
	}
	if n := c.sensors.Omitted; n > 0 {
		r.app.Partial = true
		r.app.Complain(fmt.Errorf("%s: %d values of sensors are omitted: too many sensors", folder, n))
	}
	return c, nil
}

// tables returns the groups to compare: the commands of one folder, or commands of the same name in two
// folders, or all if no name matches.
func tables(all []compared) (tables [][]trial.Group) {
	if len(all) == 1 {
		return [][]trial.Group{all[0].groups}
	}
	named := func(i int, g trial.Group) trial.Group {
		g.Name = all[i].name + ": " + g.Name
		return g
	}
	for _, g := range all[0].groups {
		same := func(other trial.Group) bool { return other.Name == g.Name }
		if at := slices.IndexFunc(all[1].groups, same); at >= 0 {
			tables = append(tables, []trial.Group{named(0, g), named(1, all[1].groups[at])})
		}
	}
	if len(tables) > 0 {
		return tables
	}

	var mixed []trial.Group
	for i := range all {
		for _, g := range all[i].groups {
			mixed = append(mixed, named(i, g))
		}
	}
	return [][]trial.Group{mixed}
}
