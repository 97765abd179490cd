package verify

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/perfdata"
)

func TestPseudonyms(t *testing.T) {
	p := newPseudonyms()
	p.learnPrivate("SECRETHOST")
	p.learnPrivate("jdoe")
	for _, name := range []string{"svchost", "svchost:1234", "Web Content", "0,1", "_Total", "0,_Total", "C:", "/home/jdoe", "naïve", "node7,_Total"} {
		p.learn(name)
	}

	for _, same := range []string{"0,1", "7", "_Total", "0,_Total", "C:", "1 D: E:", "Idle", "/", "", "HarddiskVolume3"} {
		if got := p.name(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
	svchost := p.name("svchost")
	if svchost == "svchost" || len(svchost) != 7 || strings.ToLower(svchost) != svchost {
		t.Errorf("svchost became %q", svchost)
	}
	if got := p.name("svchost#12"); got != svchost+"#12" {
		t.Errorf("svchost#12 became %q", got)
	}
	if got := p.name("svchost/17"); got != svchost+"/17" {
		t.Errorf("a parent became %q", got)
	}
	if got := p.name("node7,_Total"); got == "node7,_Total" || !isTotal(got) {
		t.Errorf("a total became %q", got)
	}
	if got := p.name("svchost:1234"); !strings.HasPrefix(got, svchost+":") || len(got) != 12 || strings.HasSuffix(got, "1234") {
		t.Errorf("svchost:1234 became %q", got)
	}
	if got := p.name("SVCHOST"); got != strings.ToUpper(svchost) {
		t.Errorf("SVCHOST became %q, svchost %q", got, svchost)
	}
	if got := p.name("naïve"); wire.NumUnits(got) != 5 || got == "naïve" {
		t.Errorf("naïve became %q", got)
	}

	text := p.text(`secrethost: \\SECRETHOST\Process(svchost) of jdoe`)
	host, user := p.text("secrethost"), p.text("jdoe")
	if want := host + `: \\` + strings.ToUpper(host) + `\Process(svchost) of ` + user; text != want || host == "secrethost" {
		t.Errorf("text became %q, want %q", text, want)
	}
	if got := p.name("/home/jdoe"); !strings.HasSuffix(got, "/"+user) {
		t.Errorf("/home/jdoe became %q, jdoe %q", got, user)
	}
}

// TestPseudonymsDiffer: different names have different pseudonyms, even if they are short.
func TestPseudonymsDiffer(t *testing.T) {
	p := newPseudonyms()
	var names []string
	for i := range 400 {
		names = append(names, string(rune('a'+i/26))+string(rune('a'+i%26)))
	}
	for _, n := range names {
		p.learn(n)
	}
	seen := map[string]bool{}
	for _, n := range names {
		if got := p.name(n); seen[got] || len(got) != 2 {
			t.Fatalf("%q became %q, which is in use", n, got)
		} else {
			seen[got] = true
		}
	}
}

// TestPseudonymsOfShortNames: names of one character, and all numbers of two digits, have pseudonyms of their own.
func TestPseudonymsOfShortNames(t *testing.T) {
	p := newPseudonyms()
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("disk %02d", i))
	}
	for r := 'a'; r <= 'z'; r++ {
		names = append(names, string(r))
	}
	for r := 'а'; r <= 'я'; r++ { // more than the letters of English
		names = append(names, string(r))
	}
	for _, n := range names {
		p.learn(n)
	}

	seen, same := map[string]bool{}, 0
	for _, n := range names {
		got := p.name(n)
		if seen[got] || wire.NumUnits(got) != wire.NumUnits(n) {
			t.Errorf("%q became %q, which is in use", n, got)
		}
		if seen[got] = true; got == n {
			same++
		}
	}
	if same > 20 {
		t.Errorf("%d names are the same", same)
	}
}

// TestPseudonymsOfIdentifiers: names of mixed letters and digits are replaced as a whole.
func TestPseudonymsOfIdentifiers(t *testing.T) {
	p := newPseudonyms()
	p.learnPrivate("DESKTOP-4A5B6C7")
	p.learnPrivate("web-01.corp.example")
	p.learnPrivate("pc")
	p.learnText(`registry://10.20.30.40: \\FILES9\Process(Secret App)\% Processor Time`)
	for text, want := range map[string]string{
		"of desktop-4a5b6c7!":                               `^of [a-z]{7}-\d[a-z]\d[a-z]\d[a-z]\d!$`,
		"xDESKTOP-4A5B6C7agent":                             `^x[A-Z]{7}-\d[A-Z]\d[A-Z]\d[A-Z]\dagent$`,
		"01 of 10 values on web-01.corp":                    `^01 of 10 values on [a-z]{3}-01\.[a-z]{4}$`,
		"at web-01.corp.example":                            `^at [a-z]{3}-\d\d\.[a-z]{4}\.[a-z]{7}$`,
		"pcs, PC":                                           `^pcs, [A-Z]{2}$`,
		`\Process(Secret App)\Handles is 5, Secret`:         `^\\Process\([A-Z][a-z]{5} [A-Z][a-z]{2}\)\\Handles is 5, Secret$`,
		`\\FILES9\System\Threads of registry://10.20.30.40`: `^\\\\[A-Z]{5}\d\\System\\Threads of registry://\d{2}\.\d{2}\.\d{2}\.\d{2}$`,
	} {
		got := p.text(text)
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q became %q, want %s", text, got, want)
		}
		for _, secret := range []string{"4a5b6c7", "web", "corp", "(Secret", "FILES9", "10.20.30.40"} {
			if strings.Contains(strings.ToLower(got), strings.ToLower(secret)) {
				t.Errorf("%q became %q, which has %q", text, got, secret)
			}
		}
	}

	p = newPseudonyms()
	const mac = "00:1a:2b:3c:4d:5e"
	p.learn(mac)
	got := p.name(mac)
	if !regexp.MustCompile(`^\d\d(:\d[a-z]){5}$`).MatchString(got) || strings.HasSuffix(got, "2b:3c:4d:5e") {
		t.Errorf("%s became %s", mac, got)
	}
}

// blockText is a block with a machine, parents, a code page and other bytes behind it. The names are those that
// TestPseudonymsInBlock looks for.
const blockText = `block name="SECRETHOST" perftime=1 perffreq=1 time100ns=1
object 230
  counter 784 PERF_COUNTER_RAWCOUNT
  instance "explorer" : 1
  instance "abc" : 2
  instance "explorer" : 3
  instance "_Total" : 6
object 232
  counter 804 PERF_COUNTER_RAWCOUNT
  instance "0" parent=230 position=0 : 7
object 300 codepage=1252
  counter 302 PERF_COUNTER_RAWCOUNT
  instance "Müllers Druckwerk" : 7
object 400
  counter 402 PERF_COUNTER_TEXT size=32
  instance "abc" rest=6F00620073006F006C00650074006500 : "run --as jdoe"
slack 6D007900530045004300520045005400480053004500430052004500540048004F0053005400780000006500780070006C006F007200650072000000006578706C6F72657200`

func TestPseudonymsInBlock(t *testing.T) {
	block, err := perfdata.ParseText([]byte(blockText))
	if err != nil {
		t.Fatal(err)
	}
	b, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	raw := winperf.Raw{Format: winperf.FormatV1, Bytes: b}
	original := bytes.Clone(b)
	p := newPseudonyms()
	p.learnSample(raw.Sample())
	done := p.bytes(&raw)
	if !bytes.Equal(raw.Bytes, original) {
		t.Error("the original was changed")
	}
	for _, word := range []string{"SECRETHOST", "explorer", "Druckwerk", "Müllers", "obsolete", "jdoe"} {
		if word != "SECRETHOST" && !hasAny(b, word) {
			t.Errorf("the block has no %q", word)
		}
		hasNot(t, done.Bytes, word)
	}
	if err := reencode(&done); err != nil {
		t.Error(err)
	}
	sameShape(t, raw, done, p)

	again, err := perfdata.Parse(bytes.Clone(done.Bytes), 0)
	if err != nil {
		t.Fatal(err)
	}
	o := again.Object(230)
	if o.InstanceName(0) != o.InstanceName(2) || o.InstanceName(0) == o.InstanceName(1) || o.InstanceName(3) != "_Total" ||
		o.InstanceName(1) == "abc" || len(o.InstanceName(1)) != 3 {
		t.Errorf("instances %q, %q, %q, %q", o.InstanceName(0), o.InstanceName(1), o.InstanceName(2), o.InstanceName(3))
	}
	if got, want := again.Machine(), p.text("SECRETHOST"); got != want {
		t.Errorf("machine %q, want %q", got, want)
	}
}

// hasAny reports whether a word is in a block, in UTF-16 or in code page 1252.
func hasAny(b []byte, word string) bool {
	wide, _ := wire.EncodeText(word, wire.UTF16LE)
	narrow, _ := wire.EncodeText(word, 1252)
	return bytes.Contains(b, bytes.TrimSuffix(wide, []byte{0, 0})) || bytes.Contains(b, bytes.TrimSuffix(narrow, []byte{0}))
}

// hasNot checks that a word is not left in any encoding.
func hasNot(t *testing.T, b []byte, word string) {
	t.Helper()
	for _, page := range []uint32{wire.UTF16LE, wire.UTF8, 1252} {
		for _, w := range []string{word, strings.ToLower(word), strings.ToUpper(word)} {
			code, err := wire.EncodeText(w, page)
			if err != nil {
				continue
			}
			if page == wire.UTF16LE {
				code = code[:len(code)-2]
			} else {
				code = code[:len(code)-1]
			}
			if i := bytes.Index(b, code); i >= 0 {
				t.Errorf("%q is left at %d in code page %d", w, i, page)
			}
		}
	}
}

// sameShape checks that a block differs from its original in names only, each replaced by its pseudonym.
func sameShape(t *testing.T, before, after winperf.Raw, p *pseudonyms) {
	t.Helper()
	if len(before.Bytes) != len(after.Bytes) {
		t.Fatalf("%d bytes became %d", len(before.Bytes), len(after.Bytes))
	}
	var pools [2]frame.Pool
	x, errX := pools[0].Decode(before.Sample(), frame.Frame{})
	y, errY := pools[1].Decode(after.Sample(), frame.Frame{})
	if (errX == nil) != (errY == nil) || x.NumObjects() != y.NumObjects() {
		t.Fatalf("%v and %d objects became %v and %d", errX, x.NumObjects(), errY, y.NumObjects())
	}
	for i := range x.NumObjects() {
		a, b := x.Object(i), y.Object(i)
		if a.ID() != b.ID() || a.Len() != b.Len() || a.NumCounters() != b.NumCounters() || a.Single() != b.Single() {
			t.Fatalf("object %v became %v", a.ID(), b.ID())
		}
		for k := range a.Len() {
			if a.Single() {
				break
			}
			if from, to := a.Instance(k).RawName(), b.Instance(k).RawName(); to != p.name(from) && !strings.ContainsRune(from, '\uFFFD') {
				t.Errorf("instance %q became %q, want %q", from, to, p.name(from))
			}
		}
		for c := range a.NumCounters() {
			n, m := make([]uint64, a.Len()), make([]uint64, a.Len())
			a.ReadRaw(n, c, 0)
			if b.ReadRaw(m, c, 0); !slices.Equal(n, m) {
				t.Errorf("values %v became %v", n, m)
			}
		}
	}
}

func TestPseudonymsInCounterSets(t *testing.T) {
	set := winperf.GUID{1}
	b, err := counterset.AppendData(nil, &counterset.Data{Answers: []counterset.Answer{{
		Form: counterset.FullSet, Counters: []uint32{1}, Instances: []counterset.Instance{
			{InstanceName: counterset.InstanceName{Name: "explorer:4711"}, Values: []counterset.Value{{Size: 8, Bits: 5}}},
			{InstanceName: counterset.InstanceName{Name: "_Total"}, Values: []counterset.Value{{Size: 8, Bits: 5}}},
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []counterset.Identifier{
		{Instance: "SECRETHOST"},
		{Set: set, Counter: counterset.Any, InstanceID: counterset.Any, Instance: "*"},
	} {
		if b, err = counterset.AppendIdentifier(b, id); err != nil {
			t.Fatal(err)
		}
	}
	raw := winperf.Raw{Format: winperf.FormatV2, Bytes: b}
	p := newPseudonyms()
	p.learn("explorer:4711")
	p.learnPrivate("SECRETHOST")
	done := p.bytes(&raw)
	hasNot(t, done.Bytes, "explorer")
	hasNot(t, done.Bytes, "4711")
	hasNot(t, done.Bytes, "SECRETHOST")
	if err := reencode(&done); err != nil {
		t.Error(err)
	}
	d, _, err := counterset.ParseData(done.Bytes)
	if err != nil || d.Answers[0].Instances[0].Name != p.name("explorer:4711") || d.Answers[0].Instances[1].Name != "_Total" {
		t.Errorf("%+v, %v", d, err)
	}
}

// FuzzPseudonyms: whatever a block has, its copy has the same shape and values, and no name of letters is left.
func FuzzPseudonyms(f *testing.F) {
	block, err := perfdata.ParseText([]byte(blockText[:strings.Index(blockText, "slack")]))
	if err != nil {
		f.Fatal(err)
	}
	b, err := block.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		raw := winperf.Raw{Format: winperf.FormatV1, Bytes: b}
		p := newPseudonyms()
		p.random = rand.New(rand.NewPCG(1, 2)) // the same words for the same block
		p.learnSample(raw.Sample())
		originals := map[string]bool{}
		for w := range p.words {
			originals[w] = true
		}
		done := p.bytes(&raw)
		sameShape(t, raw, done, p)

		var pool frame.Pool
		after, err := pool.Decode(done.Sample(), frame.Frame{})
		if err != nil {
			return
		}
		for o := range after.Objects() {
			for in := range o.Instances() {
				mapWords(in.RawName(), func(w string) string {
					if originals[fold(w)] && wire.NumUnits(w) > 3 {
						t.Errorf("%q is left in %q", w, in.RawName())
					}
					return w
				})
			}
		}
	})
}
