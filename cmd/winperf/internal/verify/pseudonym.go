package verify

import (
	"cmp"
	crypto "crypto/rand"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/wire"
)

// pseudonyms replace names of machines, users and instances. A word is a run of letters and digits. Each
// word of a name has one pseudonym of the same length in UTF-16 units, with letters for letters and digits
// for digits; other characters stay. A nil *pseudonyms keeps all names.
type pseudonyms struct {
	random  *rand.Rand
	words   map[string][]rune // by folded word; nil is not yet chosen
	used    map[string]bool
	private []string       // names of machines and users, and their words
	texts   *regexp.Regexp // matches private names; nil: not yet compiled
	runs    map[run]string // results of scrubRun: samples of an object repeat them
}

// run is a text in bytes, whose words are replaced if they have at least so many letters.
type run struct {
	text  string
	least int
}

// newPseudonyms returns pseudonyms that depend on nothing but a random seed, which is not stored.
func newPseudonyms() *pseudonyms {
	var seed [32]byte
	_, _ = crypto.Read(seed[:]) // never fails
	return &pseudonyms{
		random: rand.New(rand.NewChaCha8(seed)), words: map[string][]rune{}, used: map[string]bool{},
		runs: map[run]string{},
	}
}

var (
	// word matches the parts of a text that have pseudonyms.
	word = regexp.MustCompile(`[\pL\pM\pN]+`)
	// common matches names of instances that many machines have and that say nothing about one.
	common = regexp.MustCompile(`(?i)^(\d{1,3}(,\d{1,3})*|(\d{1,3},)*_Total|_Global_|Idle|` +
		`(\d{1,3} )?[a-z]:( [a-z]:)*|HarddiskVolume\d{1,3})$`)
	// generic matches words of texts that many machines and accounts have as their names.
	generic = regexp.MustCompile(`(?i)^(root|administrator|system|localhost|local|nt|` +
		`authority|network|service)$`)

	instanceNumber = regexp.MustCompile(`#\d+$`)
	// machineName matches the name of a machine behind the slashes of a URL or path.
	machineName = regexp.MustCompile(`(?:\\\\|//)(\[[^]]*\]|[^][\s\\/:;,"'()?]+)`)
	// pathInstance matches the instance in a path.
	pathInstance = regexp.MustCompile(`\((.+?)\)\\`)
)

// learn adds the name of an instance. Names must be added before the first one is replaced.
func (p *pseudonyms) learn(name string) {
	mapWords(name, func(w string) string { p.words[fold(w)] = nil; return w })
}

// mapWords replaces the words of the name of an instance that say something about it. Its parents and its
// number behind # are separate names.
func mapWords(name string, replace func(word string) string) string {
	number := instanceNumber.FindString(name)
	parts := strings.Split(strings.TrimSuffix(name, number), "/")
	for i, part := range parts {
		if common.MatchString(part) {
			continue
		}
		total := ""
		if isTotal(part) {
			part, total = strings.TrimSuffix(part, totalSuffix), totalSuffix
		}
		parts[i] = word.ReplaceAllStringFunc(part, replace) + total
	}
	return strings.Join(parts, "/") + number
}

// learnPrivate adds the name of a machine or user, which is replaced in all texts: as a whole, and its words
// except numbers.
func (p *pseudonyms) learnPrivate(name string) {
	p.texts = nil
	for _, w := range append([]string{name}, word.FindAllString(name, -1)...) {
		for _, one := range word.FindAllString(w, -1) {
			p.words[fold(one)] = nil
		}
		long := w == name && wire.NumUnits(w) >= leastUnits
		if !generic.MatchString(w) && (long || strings.ContainsFunc(w, unicode.IsLetter)) {
			p.private = append(p.private, w)
		}
	}
}

// learnText adds the names in a text: machines in URLs and paths, and instances in paths.
func (p *pseudonyms) learnText(s string) {
	for _, m := range machineName.FindAllStringSubmatch(s, -1) {
		p.learnPrivate(m[1])
	}
	for _, m := range pathInstance.FindAllStringSubmatch(s, -1) {
		p.learn(m[1])
	}
}

// pattern returns the pattern of private names. Longer ones are first, and short ones must be whole words.
func (p *pseudonyms) pattern() *regexp.Regexp {
	if p.texts != nil {
		return p.texts
	}
	sorted.Func(p.private, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	all := []string{"$.^"} // matches nothing
	for _, name := range slices.Compact(p.private) {
		quoted := regexp.QuoteMeta(name)
		if len(name) < leastUnits {
			quoted = `\b` + quoted + `\b`
		}
		all = append(all, quoted)
	}
	p.texts = regexp.MustCompile("(?i)" + strings.Join(all, "|"))
	return p.texts
}

// replacePrivate replaces the names of machines and users.
func (p *pseudonyms) replacePrivate(s string) string {
	return p.pattern().ReplaceAllStringFunc(s, func(m string) string {
		return word.ReplaceAllStringFunc(m, p.known)
	})
}

// fold returns a text without differences of case. It has the same length.
func fold(s string) string { return strings.Map(wire.Fold, s) }

// name returns the pseudonym of the name of an instance.
func (p *pseudonyms) name(s string) string {
	if p == nil {
		return s
	}
	return mapWords(s, p.known)
}

// known returns the pseudonym of a word, or the word if it was not added.
func (p *pseudonyms) known(w string) string {
	if _, known := p.words[fold(w)]; !known {
		return w
	}
	return inCaseOf(w, p.word(fold(w)))
}

// text replaces the names of machines and users in a text, and instances in its paths.
func (p *pseudonyms) text(s string) string {
	if p == nil {
		return s
	}
	s = pathInstance.ReplaceAllStringFunc(s, func(m string) string {
		return "(" + p.name(strings.TrimSuffix(m[1:], `)\`)) + `)\`
	})
	return p.replacePrivate(s)
}

// word returns the pseudonym of a folded word.
func (p *pseudonyms) word(w string) []rune {
	if known := p.words[w]; known != nil {
		return known
	}

	// A pseudonym is no word of this machine, unless all words of this form are. Only words of other scripts
	// than Latin can be more than the words of letters: they get letters of another script.
	const attempts = 10_000
	var chosen []rune
	for n := range 3 * attempts {
		chosen = chosen[:0]
		for _, r := range w {
			first, number := 'a', 26
			switch {
			case unicode.IsNumber(r):
				first, number = '0', 10
			case n >= 2*attempts:
				first, number = '\uA000', 1000 // Yi
			}
			for range wire.NumUnits(string(r)) {
				chosen = append(chosen, first+rune(p.random.IntN(number)))
			}
		}
		if _, original := p.words[fold(string(chosen))]; !p.used[string(chosen)] && (!original || n >= attempts) {
			break
		}
	}
	p.words[w] = chosen
	p.used[string(chosen)] = true
	return chosen
}

// inCaseOf returns a pseudonym in the case of the word it replaces.
func inCaseOf(word string, pseudonym []rune) string {
	done := slices.Clone(pseudonym)
	i := 0
	for _, r := range word {
		if unicode.IsUpper(r) {
			done[i] = unicode.ToUpper(done[i])
		}
		i += wire.NumUnits(string(r))
	}
	return string(done)
}

// bytes returns a copy of a block with pseudonyms.
func (p *pseudonyms) bytes(raw *winperf.Raw) winperf.Raw {
	done := *raw
	done.Bytes = slices.Clone(raw.Bytes)
	switch raw.Format {
	case winperf.FormatV1:
		p.block(done.Bytes, raw.Quirks)
	case winperf.FormatV2:
		done.Bytes = p.counterSets(done.Bytes)
	}
	p.scrub(done.Bytes)
	return done
}

// block replaces the names in the readable part of a performance data block. A name that a damaged block
// has in the place of numbers stays.
func (p *pseudonyms) block(b []byte, quirks winperf.Quirks) {
	var ix index.Index
	_ = datablock.Decode(b, &ix, datablock.Options{Quirks: quirks})
	header := uint32(len(b))
	for n := range ix.Objects {
		o := &ix.Objects[n]
		if n == 0 {
			header = o.Off
		}

		p.blockTexts(&ix, n)
		for i := o.Instance0; i < o.InstanceEnd; i++ {
			in := &ix.Instances[i]
			if in.Name.Off < in.Off+datablock.InstanceLen {
				continue
			}
			p.span(ix.NameBytes(in), o.CodePage, p.name)
			// Windows leaves other names behind this one.
			if rest := in.Name.Off + nameLen(ix.NameBytes(in), o.CodePage); in.Off < in.Block && rest < in.Block {
				blot(b[rest:in.Block])
			}
		}
	}

	if m := ix.Machine; m.Off >= datablock.HeadLen && m.Off+m.Len <= header {
		p.span(ix.Data[m.Off:][:m.Len], wire.UTF16LE, p.text)
	}
}

// blockTexts replaces the texts that an object has in place of numbers.
func (p *pseudonyms) blockTexts(ix *index.Index, n int) {
	o := &ix.Objects[n]
	for k, c := range ix.Counters[o.Counter0:o.CounterEnd] {
		if !c.Type.IsText() {
			continue
		}
		for i := range int(o.InstanceEnd - o.Instance0) {
			if text, ok := ix.Text(n, i, k); ok {
				p.span(text, datablock.TextPage(c.Type, o.CodePage), p.name)
			}
		}
	}
}

// counterSets returns the sample and the identifiers of a query of counter sets with pseudonyms. Bytes in
// another layout than Windows' are returned with pseudonyms for known words.
func (p *pseudonyms) counterSets(b []byte) []byte {
	data, _, err := counterset.ParseData(b)
	if err != nil || reencode(&winperf.Raw{Format: winperf.FormatV2, Bytes: b}) != nil {
		for begin := range 2 {
			p.scrubRuns(b[min(begin, len(b)):], 2, 2)
		}
		return b
	}
	for i := range data.Answers {
		for k := range data.Answers[i].Instances {
			in := &data.Answers[i].Instances[k]
			in.Name = p.name(in.Name)
		}
	}
	done, err := counterset.AppendData(nil, data)
	if err != nil || len(done) > len(b) {
		return b
	}

	ids, err := counterset.ParseIdentifiers(b[len(done):])
	rest := len(done)
	for _, id := range ids {
		replace := p.name
		if id.Set.IsZero() {
			replace = p.text // the machine
		}
		id.Instance = replace(id.Instance)
		var failed error
		done, failed = counterset.AppendIdentifier(done, id)
		err = errors.Join(err, failed)
	}
	if err != nil || len(done) != len(b) {
		return append(done[:rest], b[rest:]...)
	}
	return done
}

// span replaces a name in its place. A character of some code pages has more bytes than a letter: the name
// then ends earlier.
func (p *pseudonyms) span(b []byte, page uint32, replace func(string) string) {
	text := wire.Text(b, page)
	pseudonym := replace(text)
	if pseudonym == text {
		return
	}
	end := nameLen(b, page)
	name, err := wire.EncodeText(pseudonym, page)
	if err != nil { // undefined bytes
		name = nil
	}
	clear(b[copy(b[:end], name):end])
}

// nameLen returns the number of bytes of a name, without its terminator.
func nameLen(b []byte, page uint32) uint32 {
	size := 1
	if page == wire.UTF16LE {
		size = 2
	}
	end := 0
	for end+size <= len(b) && !allZero(b[end:end+size]) {
		end += size
	}
	return uint32(end)
}

// blot replaces all letters and digits.
func blot(b []byte) {
	for i, c := range b {
		switch r := rune(c); {
		case unicode.IsDigit(r):
			b[i] = '0'
		case unicode.IsLetter(r):
			b[i] = 'x'
		}
	}
}

func allZero(b []byte) bool { return !slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) }

// The shortest words that are replaced outside the places of names, where shorter ones may be numbers.
const (
	leastUnits = 4
	leastBytes = 6
)

// scrub replaces the words left in the bytes: behind names, between structures and in texts, and the names of
// machines and users also within words. 16-bit words may be at odd places.
func (p *pseudonyms) scrub(b []byte) {
	for begin := range 2 {
		p.scrubRuns(b[min(begin, len(b)):], 2, leastUnits)
	}
	p.scrubRuns(b, 1, leastBytes)
}

// scrubRuns replaces known words of at least so many letters, in units of size bytes.
func (p *pseudonyms) scrubRuns(b []byte, size, least int) {
	var found []rune
	for i := 0; i <= len(b); i += size {
		if i+size <= len(b) {
			r := rune(b[i])
			if size == 2 {
				r = rune(binary.LittleEndian.Uint16(b[i:]))
			}
			if inName(r) {
				found = append(found, r)
				continue
			}
		}

		if len(found) >= least {
			text := run{string(found), least}
			if done := p.scrubRun(text); done != text.text {
				overwrite(b[i-len(found)*size:i], size, done)
			}
		}
		found = found[:0]
	}
}

func (p *pseudonyms) scrubRun(r run) string {
	done, known := p.runs[r]
	if known {
		return done
	}
	done = word.ReplaceAllStringFunc(p.replacePrivate(r.text), func(w string) string {
		if len(w) < r.least {
			return w
		}
		return p.known(w)
	})

	const most = 1 << 16
	if len(p.runs) < most {
		p.runs[r] = done
	}
	return done
}

// inName reports whether a character can be in the name of a machine or user, or in a word.
func inName(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
		return true
	case r <= unicode.MaxASCII:
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// overwrite writes a text in units of size bytes.
func overwrite(b []byte, size int, text string) {
	k := 0
	for _, r := range text {
		if k += size; k > len(b) {
			return
		}
		if b[k-size] = byte(r); size == 2 {
			b[k-1] = byte(r >> 8)
		}
	}
}
