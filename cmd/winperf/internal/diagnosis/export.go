package diagnosis

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/findings"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/wire"
)

// Export is the part of exported registry files that concerns performance counters. The zero Export is
// empty.
type Export struct {
	keys   map[string]*exportedKey // by path in lower case
	damage findings.List
}

type exportedKey struct {
	subkeys []string
	values  map[string]exportedValue // by name in lower case
}

type exportedValue struct {
	kind regfile.ValueType
	data []byte
}

const (
	maxExport = 1 << 30 // bytes of a file
	maxLine   = 4 << 20 // bytes of a line; regedit wraps all values except texts
)

// The first lines of files that regedit exports.
const (
	header5 = "Windows Registry Editor Version 5.00"
	header4 = "REGEDIT4" // texts in the code page of the machine
)

// Read adds the keys of an exported file (Microsoft Learn, "How to add, modify, or delete registry
// subkeys and values by using a .reg file"). Keys that do not concern performance counters are skipped.
// A later value replaces an earlier one.
//
// Damage of single lines is in [Export.Damage]. The error wraps winperf.ErrBadData if the file is no
// export or exceeds a limit.
func (e *Export) Read(name string, r io.Reader) error {
	limited := &io.LimitedReader{R: r, N: maxExport}
	text, codePage, err := wire.NewReader(limited)
	if err != nil {
		return err
	}

	p := &exportReader{export: e, file: name, lines: bufio.NewScanner(text)}
	p.lines.Buffer(nil, maxLine)
	if !p.next() || p.line != header5 && p.line != header4 {
		return p.fault("expected the first line %q or %q", header5, header4)
	}
	p.ansi = p.line == header4
	if p.ansi && codePage == 0 {
		p.codePage = westEuropean
	}

	for p.next() {
		p.read()
	}
	if err := p.lines.Err(); err != nil {
		return p.fault("%v", err)
	}
	if limited.N == 0 {
		return p.fault("the file has more than %d bytes", maxExport)
	}
	return nil
}

// westEuropean is the code page of texts without a mark. Names of services are ASCII.
const westEuropean = 1252

// Damage returns and removes the errors found in lines; they wrap winperf.ErrBadData.
func (e *Export) Damage() []error { return e.damage.Take() }

// notExported is the error for a missing key; it wraps fs.ErrNotExist.
type notExported struct{}

func (notExported) Error() string { return "the files do not contain this key" }

func (notExported) Unwrap() error { return fs.ErrNotExist }

// Keys implements [Registry].
func (e *Export) Keys(path string) ([]string, error) {
	key := e.keys[strings.ToLower(path)]
	if key == nil {
		return nil, notExported{}
	}
	return key.subkeys, nil
}

// Value implements [Registry].
func (e *Export) Value(path, name string) (regfile.ValueType, []byte, error) {
	if key := e.keys[strings.ToLower(path)]; key != nil {
		if v, found := key.values[strings.ToLower(name)]; found {
			return v.kind, v.data, nil
		}
	}
	return 0, nil, fs.ErrNotExist
}

// key returns a key and creates it and its parents if they are missing.
func (e *Export) key(path string) *exportedKey {
	id := strings.ToLower(path)
	if k := e.keys[id]; k != nil {
		return k
	}

	k := &exportedKey{values: map[string]exportedValue{}}
	if e.keys == nil {
		e.keys = map[string]*exportedKey{}
	}
	e.keys[id] = k
	if i := strings.LastIndexByte(path, '\\'); i >= 0 {
		parent := e.key(path[:i])
		parent.subkeys = append(parent.subkeys, path[i+1:])
	}
	return k
}

// exportReader reads the lines of a file.
type exportReader struct {
	export   *Export
	file     string
	lines    *bufio.Scanner
	line     string
	number   int
	again    bool // the next line is the current one
	ansi     bool // texts in hexadecimal form have one byte for each character
	codePage uint32
	key      *exportedKey // nil: skipped
}

func (p *exportReader) next() bool {
	if p.again {
		p.again = false
		return true
	}
	if !p.lines.Scan() {
		return false
	}
	p.number++
	p.line = strings.TrimRight(p.lines.Text(), "\r")
	if p.codePage != 0 {
		p.line = wire.Decode([]byte(p.line), p.codePage)
	}
	p.line = strings.ToValidUTF8(p.line, "\ufffd")
	return true
}

func (p *exportReader) fault(form string, args ...any) error {
	return p.faultAt(p.number, form, args...)
}

func (p *exportReader) faultAt(line int, form string, args ...any) error {
	return &winperf.DataError{
		Err: winperf.ErrBadData, Source: p.file, Line: max(line, 1), Msg: fmt.Sprintf(form, args...),
	}
}

func (p *exportReader) damage(form string, args ...any) { p.damageAt(p.number, form, args...) }

func (p *exportReader) damageAt(line int, form string, args ...any) {
	p.export.damage.Add(func() error { return p.faultAt(line, form, args...) })
}

func (p *exportReader) read() {
	line := strings.TrimSpace(p.line)
	switch {
	case line == "" || line[0] == ';':
	case line[0] == '[':
		p.readKey(line)
	case p.key != nil:
		p.readValue(line)
	default:
		p.skip()
	}
}

// skip skips the other lines of a value.
func (p *exportReader) skip() {
	for strings.HasSuffix(p.line, `\`) && !strings.HasSuffix(p.line, `"`) && p.next() {
	}
}

const localMachine = `HKEY_LOCAL_MACHINE\`

func (p *exportReader) readKey(line string) {
	p.key = nil
	path, whole := strings.CutSuffix(line[1:], "]")
	if !whole {
		p.damage("expected ] at the end of a key")
		return
	}
	if len(path) <= len(localMachine) || !strings.EqualFold(path[:len(localMachine)], localMachine) {
		return // also [-KEY], which deletes a key
	}
	if path = path[len(localMachine):]; concerns(path) {
		p.key = p.export.key(path)
	}
}

// deepest is the number of keys between Perflib and the deepest one, a counter set below its provider
// and _V2Providers.
const deepest = 3

// concerns reports whether a key can hold settings of performance counters: Perflib and the keys below,
// a service and its keys Performance and Linkage.
func concerns(path string) bool {
	path = strings.ToLower(path)
	if rest, found := strings.CutPrefix(path, strings.ToLower(perflibKey)); found {
		return rest == "" || rest[0] == '\\' && strings.Count(rest, `\`) <= deepest
	}
	rest, found := strings.CutPrefix(path, strings.ToLower(regfile.Services))
	if !found || rest != "" && rest[0] != '\\' {
		return false
	}
	_, below, deeper := strings.Cut(strings.TrimPrefix(rest, `\`), `\`)
	return !deeper || below == "performance" || below == "linkage"
}

func (p *exportReader) readValue(line string) {
	name, rest := "", ""
	switch {
	case line[0] == '@':
		rest = line[1:]
	default:
		text, behind, ok := cutQuoted(line)
		if !ok {
			p.damage(`expected "name"= or @=`)
			return
		}
		name, rest = text, behind
	}

	rest, found := strings.CutPrefix(strings.TrimSpace(rest), "=")
	if !found {
		p.damage("expected = after a name")
		return
	}
	v, ok := p.value(strings.TrimSpace(rest))
	if ok {
		p.key.values[strings.ToLower(name)] = v
	}
}

// cutQuoted cuts a text in quotes, in which a backslash protects a character.
func cutQuoted(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

func (p *exportReader) value(s string) (v exportedValue, ok bool) {
	if number, found := strings.CutPrefix(s, "dword:"); found {
		n, err := strconv.ParseUint(strings.TrimSpace(number), 16, 32)
		if err != nil {
			p.damage("expected 8 hexadecimal digits after dword:")
			return v, false
		}
		return exportedValue{regfile.TypeDWord, binary.LittleEndian.AppendUint32(nil, uint32(n))}, true
	}
	if strings.HasPrefix(s, "hex") {
		return p.hexadecimal(s[len("hex"):])
	}

	text, rest, quoted := cutQuoted(s)
	begin := p.number
	if !quoted && strings.HasPrefix(s, `"`) {
		text, rest, quoted = p.lineBreaks(s)
	}
	if !quoted || strings.TrimSpace(rest) != "" {
		p.damageAt(begin, "expected a text in quotes, dword: or hex:")
		return v, false
	}
	return exportedValue{regfile.TypeString, wire.AppendUTF16Z(nil, text)}, true
}

// lineBreaks reads the other lines of a text: regedit writes line breaks in texts as they are. A text
// without end stops before the next key.
func (p *exportReader) lineBreaks(first string) (text, rest string, ok bool) {
	lines := []string{first}
	for p.next() {
		if strings.HasPrefix(p.line, "[") {
			p.again = true
			break
		}
		lines = append(lines, p.line)
		if _, _, ends := cutQuoted(`"` + p.line); ends {
			return cutQuoted(strings.Join(lines, "\n"))
		}
	}
	return "", "", false
}

// binaryType is REG_BINARY (winnt.h), the type of hex: without a number.
const binaryType = 3

// hexadecimal reads "(7):31,00,\" and the lines that follow.
func (p *exportReader) hexadecimal(s string) (v exportedValue, ok bool) {
	kind, digits, found := strings.Cut(s, ":")
	v.kind = binaryType
	if found && kind != "" {
		n, err := strconv.ParseUint(strings.Trim(kind, "()"), 16, 32)
		found = err == nil
		v.kind = regfile.ValueType(n)
	}
	if !found {
		p.damage("expected hex: or hex(TYPE):")
		p.skip()
		return v, false
	}

	for {
		part, more := strings.CutSuffix(strings.TrimSpace(digits), `\`)
		part = strings.NewReplacer(",", "", " ", "").Replace(part)
		data, err := hex.DecodeString(part)
		if err != nil {
			p.damage("expected hexadecimal bytes, separated by commas: %v", err)
			p.skip()
			return v, false
		}

		v.data = append(v.data, data...)
		if !more {
			break
		}
		if !p.next() || strings.TrimSpace(p.line) == "" {
			p.damage("a value ends after \\, which continues it")
			break
		}
		digits = p.line
	}

	if p.ansi && (v.kind == regfile.TypeExpandString || v.kind == regfile.TypeMultiString) {
		v.data = wire.AppendUTF16(nil, wire.Decode(v.data, westEuropean))
	}
	return v, true
}
