package metrics

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// tableLabels makes the labels of an object's instances for a block.
type tableLabels struct {
	rules  []tables.Label
	at     []int // by rule: the position of the counter in the label, -1 for none
	one    bool  // one row for all instances
	totals bool  // unrequested totals must be omitted
	total  bool  // only the instance _Total
	hasID  bool  // a label contains a counter's value
	keep   []LabelFilter
	sql    string
	user   func(id uint64) string // Options.UserName
	owner  func(id uint64) string // Options.Owner
	// command is Options.CommandLine.
	command func(id uint64) string

	// For the rule Last: the position of the last instance of each name.
	names *frame.Labels
	last  map[string]int
}

// rows returns the labelling of a block for an object; nil for one row without labels.
func (s *tabled) rows(o *layout, b *tables.Block, sql string) *labelling {
	l := &tableLabels{
		rules: b.Labels, one: b.One, totals: s.totals, total: b.Total, sql: sql, user: s.user, owner: s.owner, command: s.command,
		keep: filtersOf(s.filters, b),
	}
	rows := &labelling{Labels: l.labels, Totals: b.Total}
	for _, rule := range b.Labels {
		k := -1
		for _, name := range rule.Counters {
			if k < 0 {
				k = o.find(name)
			}
		}
		if k >= 0 {
			l.hasID = l.hasID || rule.Rule == tables.Value
			rows.IDs = append(rows.IDs, k)
		}
		l.at = append(l.at, k)
	}

	if !o.Machine && len(b.Labels) == 0 && (b.One || o.Object.Single()) {
		return nil
	}
	return rows
}

// labels appends the labels of instance i; false omits it. In a block without labels only the first
// instance counts.
func (l *tableLabels) labels(o frame.Object, i int, ls []Label) ([]Label, bool) {
	name := ""
	if !o.Single() {
		name = o.Labels().Name(i)
		if l.total {
			return ls, name == "_Total"
		}
		if l.totals && frame.IsTotal(name) {
			return ls, false
		}
	}

	for r := range l.rules {
		value, ok := l.label(r, o, i, name)
		if !ok || !l.keeps(&l.rules[r], value, name) {
			return ls, false
		}
		ls = append(ls, Label{l.rules[r].Name, value})
	}
	return ls, true
}

// keeps reports whether the filters keep an instance with this value of a label.
func (l *tableLabels) keeps(rule *tables.Label, value, name string) bool {
	if rule.Rule == tables.Word {
		value = name
	}
	return !slices.ContainsFunc(l.keep, func(f LabelFilter) bool {
		return f.Label == rule.Name && !f.passes(value)
	})
}

// label returns the value of one label; false omits the instance.
func (l *tableLabels) label(r int, o frame.Object, i int, name string) (value string, ok bool) {
	switch l.rules[r].Rule {
	case tables.Value:
		return l.counter(r, o, i), true
	case tables.User:
		return l.userName(r, o, i), true
	case tables.Command:
		if id, ok := l.processID(o, i); ok && l.command != nil {
			return l.command(id), true
		}
		return "", true
	case tables.SQL:
		return l.sql, l.sql != ""
	case tables.Process:
		return l.process(o, i, name)

	case tables.Last:
		return name, l.isLast(o, i)
	case tables.Logical:
		return logicalNumber(o, i, name), true
	case tables.Lower:
		return lowerName(o, i, name), true
	case tables.Instance:
		return numberedName(o, i, name), true
	}
	return partOf(name, &l.rules[r])
}

// partOf returns the label that a rule takes from a name alone; false omits the instance.
func partOf(name string, rule *tables.Label) (value string, ok bool) {
	switch rule.Rule {
	case tables.Word:
		value, _, _ = strings.Cut(name, " ")
		return value, true

	case tables.Pid, tables.Pool:
		pid, pool, cut := strings.Cut(name, "_")
		if rule.Rule == tables.Pid {
			pool = pid
		}
		return pool, cut && !strings.Contains(name, "#")

	case tables.Core:
		return name[strings.LastIndexByte(name, ' ')+1:], true
	case tables.VM:
		return name[:max(0, strings.LastIndexByte(name, ':'))], true
	case tables.File:
		return strings.TrimPrefix(name, `\??\`), true
	case tables.Session:
		return strings.ReplaceAll(name, "#", " "), name != "" && name != "Services" && name != "Console"
	case tables.Remote:
		local := name == "" || strings.EqualFold(name, "Services") || strings.EqualFold(name, "Console")
		return strings.Replace(name, "RDP-tcp", "RDP-Tcp", 1), !local

	case tables.Server, tables.Share:
		server, share, cut := strings.Cut(strings.Trim(name, `\`), `\`)
		if rule.Rule == tables.Server {
			share = server
		}
		return share, cut
	case tables.After:
		return after(name, rule.Key), true
	}
	return name, true
}

// logicalNumber returns the number of a processor in the machine. Processor Information counts per
// node or group.
func logicalNumber(o frame.Object, i int, name string) string {
	if o.Single() || !strings.Contains(name, ",") {
		return name
	}

	n := 0
	for j := range i {
		if !frame.IsTotal(o.Labels().Name(j)) {
			n++
		}
	}
	return strconv.Itoa(n)
}

func (l *tableLabels) counter(r int, o frame.Object, i int) string {
	if l.at[r] < 0 || o.Len() == 0 {
		return ""
	}
	v, ok := o.Raw(i, l.at[r])
	if !ok {
		return ""
	}
	return strconv.FormatUint(v, 10)
}

// userName returns the name of the user whose id is a counter's value. Without the counter it is the owner of
// the process whose id is another label. It is "" if the name is unknown.
func (l *tableLabels) userName(r int, o frame.Object, i int) string {
	if l.at[r] < 0 && l.owner != nil {
		if id, ok := l.processID(o, i); ok {
			return l.owner(id)
		}
		return ""
	}

	id, err := strconv.ParseUint(l.counter(r, o, i), 10, 64)
	if err != nil || l.user == nil {
		return ""
	}
	return l.user(id)
}

// processID returns the id of a process from the label process_id.
func (l *tableLabels) processID(o frame.Object, i int) (id uint64, ok bool) {
	r := slices.IndexFunc(l.rules, isProcessID)
	if r < 0 {
		return 0, false
	}
	id, err := strconv.ParseUint(l.counter(r, o, i), 10, 64)
	return id, err == nil
}

func isProcessID(rule tables.Label) bool {
	return rule.Rule == tables.Value && rule.Name == "process_id"
}

// clrGlobal is the total of .NET CLR objects.
const clrGlobal = "_Global_"

// process returns the name of a process, without its number if another label identifies it.
// Processes with id 0 are omitted, except Idle under names of windows_exporter.
func (l *tableLabels) process(o frame.Object, i int, name string) (string, bool) {
	if name == clrGlobal {
		return "", false
	}
	if !l.hasID {
		return numberedName(o, i, name), true
	}

	short := name
	if end := strings.IndexAny(name, ":#"); end >= 0 {
		short = name[:end]
	}
	for r := range l.rules {
		if l.rules[r].Rule == tables.Value && l.counter(r, o, i) == "0" {
			idle := short == "Idle" && l.rules[r].Name != "process.pid"
			return short, idle || !identifies(l.rules[r].Counters)
		}
	}
	return short, true
}

// identifies reports whether counters have the id of the process itself.
func identifies(counters []string) bool {
	return counters[0] == "ID Process" || counters[0] == "Process ID"
}

// numberedName returns the name of an instance with the number of duplicates, as in paths.
func numberedName(o frame.Object, i int, name string) string {
	if o.Single() {
		return name
	}
	if n := o.Labels().Occurrence(i); n > 0 {
		return name + "#" + strconv.Itoa(n)
	}
	return name
}

func (l *tableLabels) isLast(o frame.Object, i int) bool {
	if o.Single() {
		return true
	}
	if now := o.Labels(); l.names != now {
		l.names, l.last = now, map[string]int{}
		for j := range now.Len() {
			l.last[now.Name(j)] = j
		}
	}
	return l.last[o.Labels().Name(i)] == i
}

// lowerName returns a name in lower case, with _ in place of spaces and points. The second instance
// of the name ends in _2.
func lowerName(o frame.Object, i int, name string) string {
	name = strings.Join(strings.Fields(strings.ToLower(name)), "_")
	name = strings.ReplaceAll(strings.ReplaceAll(name, ".", "_"), "__", "_")
	if o.Single() || o.Labels().Occurrence(i) == 0 {
		return name
	}
	return name + "_" + strconv.Itoa(o.Labels().Occurrence(i)+1)
}

// after returns the word after a key in pid_4_luid_0x0_0x1_phys_0. A luid has two words.
func after(name, key string) string {
	words := strings.Split(name, "_")
	at := slices.Index(words, key) + 1
	switch {
	case at == 0 || at >= len(words):
		return ""
	case key == "luid" && at+1 < len(words):
		return words[at] + "_" + words[at+1]
	}
	return words[at]
}
