package verify

import (
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
	"github.com/winperf/winperf/internal/wire"
)

// pseudonyms replace names of machines, users and instances. A name is divided into words of letters and of
// digits. Each word has one pseudonym of the same length in UTF-16 units; other characters stay. Single
// letters and digits stay, too.
type pseudonyms struct {
	random  *rand.Rand
	words   map[string]string // by folded word; "" is not yet chosen
	used    map[string]bool
	private map[string]bool // words that are replaced in texts
}

func newPseudonyms() *pseudonyms {
	var seed [32]byte
	_, _ = crypto.Read(seed[:]) // never fails
	return &pseudonyms{
		random: rand.New(rand.NewChaCha8(seed)), words: map[string]string{}, used: map[string]bool{},
		private: map[string]bool{},
	}
}

// common matches names of instances that many machines have and that say nothing about one.
var common = regexp.MustCompile(`(?i)^(\d{1,3}(,\d{1,3})*|(.*,)?_Total|_Global_|Idle|` +
	`(\d+ )?[a-z]:( [a-z]:)*|HarddiskVolume\d+|[^\pL\pN]*)$`)

// learn adds the name of an instance. Names must be added before the first one is replaced.
func (p *pseudonyms) learn(name string) {
	for _, w := range privateWords(name) {
		p.words[fold(w)] = ""
	}
}

// privateWords returns the words of the name of an instance that have pseudonyms.
func privateWords(name string) (all []string) {
	for part := range strings.SplitSeq(name, "/") {
		if !common.MatchString(part) {
			all = append(all, words(part)...)
		}
	}
	return all
}

// learnPrivate adds the name of a machine or user, which is replaced in all texts.
func (p *pseudonyms) learnPrivate(name string) {
	for _, w := range words(name) {
		p.words[fold(w)] = ""
		p.private[fold(w)] = true
	}
}

// fold returns a text without differences of case. It has the same length.
func fold(s string) string { return strings.Map(wire.Fold, s) }

// kindOf is 1 for a letter, 2 for a digit and 0 for other characters.
func kindOf(r rune) int {
	switch {
	case unicode.IsDigit(r):
		return 2
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return 1
	}
	return 0
}

// words divides a text into words of letters, words of digits, and all other characters.
func split(s string) (parts []string) {
	begin, kind := 0, -1
	for i, r := range s {
		if k := kindOf(r); k != kind {
			if i > begin {
				parts = append(parts, s[begin:i])
			}
			begin, kind = i, k
		}
	}
	if begin < len(s) {
		parts = append(parts, s[begin:])
	}
	return parts
}

// words returns the words of a text that have pseudonyms.
func words(s string) []string {
	return slices.DeleteFunc(split(s), func(w string) bool { return !isWord(w) })
}

func isWord(s string) bool {
	r := []rune(s)
	return len(r) > 0 && kindOf(r[0]) > 0 && wire.NumUnits(s) > 1
}

// name returns the pseudonym of the name of an instance. Its parents and its number behind # are names of
// their own.
func (p *pseudonyms) name(s string) string {
	number := instanceNumber.FindString(s)
	parts := strings.Split(strings.TrimSuffix(s, number), "/")
	for i, part := range parts {
		if !common.MatchString(part) {
			parts[i] = p.replace(part, func(string) bool { return true })
		}
	}
	return strings.Join(parts, "/") + number
}

var instanceNumber = regexp.MustCompile(`#\d+$`)

// text replaces the names of machines and users in a text.
func (p *pseudonyms) text(s string) string {
	return p.replace(s, func(word string) bool { return p.private[word] })
}

// replace replaces the words for which also returns true.
func (p *pseudonyms) replace(s string, also func(folded string) bool) string {
	var b strings.Builder
	for _, part := range split(s) {
		folded := fold(part)
		if _, known := p.words[folded]; !known || !isWord(part) || !also(folded) {
			b.WriteString(part)
			continue
		}
		b.WriteString(inCaseOf(part, p.word(folded)))
	}
	return b.String()
}

// word returns the pseudonym of a folded word.
func (p *pseudonyms) word(w string) string {
	if known := p.words[w]; known != "" {
		return known
	}
	n := wire.NumUnits(w)
	first, number := 'a', 26
	if kindOf([]rune(w)[0]) == 2 {
		first, number = '0', 10
	}

	// After many attempts all words of this length are probably in use.
	const attempts = 10_000
	var chosen []rune
	for range attempts {
		chosen = chosen[:0]
		for range n {
			chosen = append(chosen, first+rune(p.random.IntN(number)))
		}
		if _, original := p.words[fold(string(chosen))]; !original && !p.used[string(chosen)] {
			break
		}
	}
	p.words[w] = string(chosen)
	p.used[string(chosen)] = true
	return string(chosen)
}

// inCaseOf returns the letters of a pseudonym in the case of the word it replaces.
func inCaseOf(word, pseudonym string) string {
	b := []byte(pseudonym)
	i := 0
	for _, r := range word {
		if unicode.IsUpper(r) && b[i] >= 'a' {
			b[i] -= 'a' - 'A'
		}
		i += wire.NumUnits(string(r))
	}
	return string(b)
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
	for i, o := range ix.Objects {
		if i == 0 {
			header = o.Off
		}
		for i := o.Instance0; i < o.InstanceEnd; i++ {
			if in := &ix.Instances[i]; in.Name.Off >= in.Off+datablock.InstanceLen {
				p.span(ix.NameBytes(in), o.CodePage, p.name)
			}
		}
	}
	if m := ix.Machine; m.Off >= datablock.HeadLen && m.Off+m.Len <= header {
		p.span(ix.Data[m.Off:][:m.Len], wire.UTF16LE, p.text)
	}
}

// counterSets returns the sample and the identifiers of a query of counter sets with pseudonyms. Bytes in
// another layout than Windows' are returned as they are.
func (p *pseudonyms) counterSets(b []byte) []byte {
	data, _, err := counterset.ParseData(b)
	if err != nil || reencode(&winperf.Raw{Format: winperf.FormatV2, Bytes: b}) != nil {
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
	size := 1
	if page == wire.UTF16LE {
		size = 2
	}
	end := 0
	for end+size <= len(b) && !allZero(b[end:end+size]) {
		end += size
	}

	name, err := wire.EncodeText(pseudonym, page)
	if err != nil { // undefined bytes
		name = nil
	}
	clear(b[copy(b[:end], name):end])
}

func allZero(b []byte) bool { return !slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) }

// The shortest words that are replaced outside the places of names, where shorter ones may be numbers.
const (
	leastUnits = 4
	leastBytes = 6
)

// scrub replaces the words left in the bytes: behind names, between structures and in texts. 16-bit words
// may be at odd places.
func (p *pseudonyms) scrub(b []byte) {
	for begin := range 2 {
		p.scrubRuns(b[min(begin, len(b)):], 2, leastUnits)
	}
	p.scrubRuns(b, 1, leastBytes)
}

// scrubRuns replaces words in units of size bytes.
func (p *pseudonyms) scrubRuns(b []byte, size, least int) {
	var run []rune
	for i := 0; i <= len(b); i += size {
		if i+size <= len(b) {
			r := rune(b[i])
			if size == 2 {
				r = rune(binary.LittleEndian.Uint16(b[i:]))
			}
			if r > 0 && kindOf(r) == 1 {
				run = append(run, r)
				continue
			}
		}

		if len(run) >= least {
			p.overwrite(b[i-len(run)*size:i], size, string(run))
		}
		run = run[:0]
	}
}

// overwrite replaces a known word, in units of size bytes, by its pseudonym.
func (p *pseudonyms) overwrite(b []byte, size int, word string) {
	if _, known := p.words[fold(word)]; !known {
		return
	}
	for k, c := range []byte(inCaseOf(word, p.word(fold(word)))) {
		at := b[k*size:][:size]
		clear(at)
		at[0] = c
	}
}
