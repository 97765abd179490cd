package metrics

import (
	"slices"
	"strings"

	"github.com/winperf/winperf/counter"
)

var signs = strings.NewReplacer(
	"%", " percent ", "#", " number ", "&", " and ", "'", "", "I/O", "IO", "i/o", "io")

// words splits a name into words of lower-case letters and digits.
func words(name string) []string {
	return strings.FieldsFunc(lower(signs.Replace(name)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// lower converts only ASCII letters, because the lower case of some other letters is ASCII.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// objectWords returns the words of an object's name, and its instance of SQL Server for a label.
func objectWords(name string) (ws []string, sqlInstance string) {
	name, sqlInstance = withoutInstance(name)
	return withOther(tidy(words(separated(name)))), sqlInstance
}

// separated inserts a space before a capital letter that begins a word after a small letter:
// Physical Disk. TCPv4, iSCSI and (mSec) stay whole.
func separated(name string) string {
	var out strings.Builder
	for i := range len(name) {
		if i > 1 && i+1 < len(name) && isLetter(name[i-2]) &&
			isSmall(name[i-1]) && isCapital(name[i]) && isSmall(name[i+1]) {
			out.WriteByte(' ')
		}
		out.WriteByte(name[i])
	}
	return out.String()
}

func isLetter(c byte) bool { return isSmall(c) || isCapital(c) }

func isSmall(c byte) bool { return 'a' <= c && c <= 'z' }

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }

// withoutInstance removes the instance of SQL Server from an object's name.
func withoutInstance(object string) (name, sqlInstance string) {
	const server, named = "SQLServer:", "MSSQL$"
	switch instance, rest, ok := strings.Cut(object, ":"); {
	case strings.HasPrefix(object, server):
		return object, "MSSQLSERVER"
	case ok && strings.HasPrefix(instance, named):
		return server + rest, instance[len(named):]
	}
	return object, ""
}

// counterWords returns the words of a counter's name without its unit, and the unit.
func counterWords(object, name string, t counter.Type) ([]string, unit) {
	bare, isRate := withoutRate(name)
	u, known := knownUnit(object, name)
	ws := words(spaced(bare))
	switch {
	case t == counter.AverageTimer:
		ws = slices.DeleteFunc(ws, func(w string) bool { return w == "sec" })
	case isQueue(t):
		ws = withoutEnd(ws, "queue", "length") // the metric's suffix contains it
	case t == counter.ElapsedTime:
		ws = withoutElapsed(ws)
	case t.Unit() == counter.Percent:
		ws = withoutPercent(ws) // its metrics are times or counts
	case !takesUnit(t) || u.name != "" || known && !u.grows:
	default:
		ws, u = ofUnit(ws, u, isRate, t)
	}

	if t == counter.SampleFraction {
		ws = withoutEnd(ws, "hits") // they are x_hits_total
	}
	return tidy(ws), u
}

func spaced(name string) string {
	if strings.Contains(strings.TrimSpace(name), " ") {
		return name
	}
	return separated(name)
}

func ofUnit(ws []string, u unit, isRate bool, t counter.Type) ([]string, unit) {
	if rest := outerPercent(ws); t.Samples() == 1 && len(rest) < len(ws) {
		return rest, ratio
	}
	if rest := withoutEnd(ws, "bits"); isRate && len(rest) < len(ws) {
		ws, u = rest, unit{name: "bytes", part: 1. / 8}
	} else {
		ws, u = takeUnit(ws, u)
	}

	// A counter becomes a rate by rate(); other rates need the suffix.
	if isRate && !accumulates(t) {
		u.name = strings.TrimPrefix(u.name+"_per_second", "_")
	}
	return ws, u
}

func accumulates(t counter.Type) bool {
	f := formulaOf(t)
	return f != nil && f.Families[0].Type == Counter
}

// withoutPercent removes percent, unless nothing else is left.
func withoutPercent(ws []string) []string {
	rest := slices.DeleteFunc(slices.Clone(ws), func(w string) bool { return w == "percent" })
	if len(rest) == 0 {
		return ws
	}
	return rest
}

// outerPercent removes percent from the beginning or end, unless nothing else is left.
func outerPercent(ws []string) []string {
	n := len(ws)
	switch {
	case n < 2:
		return ws
	case ws[0] == "percent":
		return ws[1:]
	}
	return withoutEnd(ws, "percent")
}

func withoutElapsed(ws []string) []string {
	for _, end := range elapsedEnds {
		ws = withoutEnd(ws, end...)
	}
	return ws
}

var elapsedEnds = [][]string{{"elapsed", "time"}, {"up", "time"}, {"uptime"}}

// withoutRate returns a name without "per second", and whether it had it. A unit may be in
// parentheses: Speed (Bits/Sec); more words may follow: Bytes/sec (RDMA).
func withoutRate(name string) (bare string, isRate bool) {
	text := strings.TrimRight(name, " )")
	for _, second := range []string{"sec", "second", "s"} {
		rest, ok := cutEnd(text, second)
		rest = strings.TrimRight(rest, " ")
		for _, per := range []string{"/", " per"} {
			if bare, isRate = cutEnd(rest, per); ok && isRate {
				return bare, true
			}
		}
	}
	return withoutInnerRate(name)
}

// withoutInnerRate is withoutRate for "/sec" inside a name.
func withoutInnerRate(name string) (bare string, isRate bool) {
	for i := range len(name) {
		before, isEnd := cutEnd(name[:i], "/sec")
		if isEnd && !isLetter(name[i]) {
			return before + " " + name[i:], true
		}
	}
	return name, false
}

func cutEnd(name, end string) (rest string, ok bool) {
	at := len(name) - len(end)
	if at < 0 || !strings.EqualFold(name[at:], end) {
		return name, false
	}
	return name[:at], true
}

// nameless reports whether a counter's name has no words for a metric.
func nameless(name string) bool {
	bare, _ := withoutRate(name)
	return len(words(bare)) == 0
}

func withoutEnd(ws []string, end ...string) []string {
	if at := len(ws) - len(end); at >= 0 && slices.Equal(ws[at:], end) {
		return ws[:at]
	}
	return ws
}

// takeUnit removes the last word that is a unit.
func takeUnit(ws []string, u unit) ([]string, unit) {
	if rest := withoutEnd(ws, "in", "hundredths"); len(rest) < len(ws) {
		return rest, unit{part: 0.01}
	}
	for i := len(ws) - 1; i >= 0; i-- {
		found, ok := unitWords[ws[i]]
		if !ok {
			continue
		}
		found.grows = u.grows
		ws = slices.Delete(slices.Clone(ws), i, i+1)
		if i == 1 && ws[0] == "number" { // # Bytes in all Heaps
			ws = ws[1:]
		}
		return ws, found
	}
	return ws, u
}

// inPlaceOf replaces words with a different meaning in metric names: types, and units other than
// the metric's.
var inPlaceOf = map[string]string{
	"counter": "counts", "gauge": "gauges", "summary": "summaries", "histogram": "histograms",
	"bits": "bit", "minutes": "minute", "hours": "hour", "days": "day", "weeks": "week",
	"kilobytes": "kbytes", "megabytes": "mbytes", "gigabytes": "gbytes", "terabytes": "tbytes",
	"milliseconds": "msec", "microseconds": "usec", "nanoseconds": "nsec",
	"sec": "second", "ms": "msec", "us": "usec", "ns": "nsec",
	"kb": "kbytes", "mb": "mbytes", "gb": "gbytes", "tb": "tbytes", "pb": "pbytes",
}

// tidy replaces words with a different meaning in metric names. A letter that would be a unit is
// joined to a neighbor.
func tidy(ws []string) []string {
	var out []string
	join := ""
	for i, w := range ws {
		if other, ok := inPlaceOf[w]; ok {
			w = other
		}
		w, join = join+w, ""

		switch n := len(out); {
		case !isUnitLetter(w):
			out = append(out, w)
		case n > 0 && isNumber(out[n-1]): // 10 s
			out[n-1] += w
		case i+1 < len(ws):
			join = w
		case n > 0:
			out[n-1] += w
		default:
			out = append(out, "letter", w+w)
		}
	}

	if slices.ContainsFunc(out, func(w string) bool { return inPlaceOf[w] != "" || isUnitLetter(w) }) {
		return tidy(out) // a joined word may need replacement
	}
	return out
}

func isUnitLetter(w string) bool { return len(w) == 1 && strings.Contains("sbmhd", w) }

func isQueue(t counter.Type) bool {
	return slices.Contains(formulaOf(counter.QueueLen).Types, t)
}

// stem returns the name of a counter's metrics without unit and type.
func stem(object, name []string) string {
	return strings.Join(slices.Concat([]string{"winperf"}, object, name), "_")
}

// endings are words that a name must not end with, because they denote the kind of value.
var endings = []string{"total", "created", "info", "sum", "bucket", "gsum", "gcount"}

// ending makes the end of a name valid: a count becomes a plural, words for the kind of value move
// to the front.
func ending(ws []string) []string {
	n := len(ws)
	switch {
	case n == 0:
		return ws
	case ws[n-1] == "count" && n == 1:
		return []string{"number"}
	case ws[n-1] == "count":
		return counted(ws)
	case slices.Contains(endings, ws[n-1]) && n == 1:
		return []string{ws[0], "value"}
	case slices.Contains(endings, ws[n-1]):
		return append([]string{ws[n-1]}, ending(ws[:n-1])...)
	}
	return ws
}

// counted replaces count by a plural: Read Count becomes reads.
func counted(ws []string) []string {
	n := len(ws)
	if n < 2 || ws[n-1] != "count" {
		return ws
	}
	return append(slices.Clone(ws[:n-2]), plural(ws[n-2]))
}

func plural(w string) string {
	switch {
	case strings.HasSuffix(w, "s"):
		return w
	case strings.HasSuffix(w, "y") && len(w) > 1 && !strings.ContainsAny(w[len(w)-2:len(w)-1], "aeiou"):
		return w[:len(w)-1] + "ies"
	}
	return w + "s"
}

// longest is the largest length of a help text in characters, without its path.
const longest = 200

// sentence returns the first sentence of a text, at most longest characters of it. A sentence ends
// with a full stop before a space and a capital letter, except after an abbreviation.
func sentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	for at := 0; ; {
		stop := strings.Index(text[at:], ". ")
		if stop < 0 {
			break
		}
		at += stop + 1
		next := strings.TrimLeft(text[at:], " ")
		if next == "" || isCapital(next[0]) && !abbreviated(text[:at-1]) {
			text = text[:at]
			break
		}
	}

	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest-1]) + "…"
	}
	return text
}

// abbreviated reports whether a text ends with an abbreviation that words with capitals follow.
func abbreviated(text string) bool {
	word := text[strings.LastIndexAny(text, " (")+1:]
	return slices.Contains([]string{"Avg", "avg", "Dest", "e.g", "i.e", "No", "vs"}, word)
}
