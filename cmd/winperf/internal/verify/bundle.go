package verify

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/sorted"
)

// File is a file of a bundle.
type File struct {
	Name, Brief string
	Data        []byte
}

// The files of each bundle, next to a capture for each driver of raw values.
const (
	findingsFile = "findings.json"
	looksFile    = "looks.json"
)

// findings are the results that a replay does not compute again.
type findings struct {
	System  map[string]string
	Checks  []Check
	Skipped []Skip
	Results []Result
}

// storedLook is a look in looksFile.
type storedLook struct {
	Reader, Object string
	Pass           int
	Time           time.Time
	Sample         *int            `json:",omitempty"` // position in the capture of the reader
	Counters       []storedCounter `json:",omitempty"` // of other readers
	Text           string          `json:",omitempty"` // as the program wrote it; only with names
}

type storedCounter struct {
	Name
	Type      counter.Type
	Instances []string
	Raw       []uint64  `json:",omitempty"`
	Values    []float64 `json:",omitempty"`
	Tolerance float64   `json:",omitempty"`
	Timeless  bool      `json:",omitempty"`
}

// Bundle returns the files of a bundle: the looks and findings of a report, and facts about the system.
// Unless names is true, pseudonyms replace the names of machines, users and instances.
func (r *Report) Bundle(system map[string]string, names bool) ([]File, error) {
	var p *pseudonyms
	if !names {
		p = newPseudonyms()
		r.learn(p)
	}
	found := findings{System: map[string]string{}}
	for k, v := range system {
		found.System[k] = p.text(v)
	}
	for _, c := range r.Checks {
		found.Checks = append(found.Checks, Check{p.text(c.Name), c.Failed, p.text(c.Detail)})
	}
	for _, s := range r.Skipped {
		found.Skipped = append(found.Skipped, Skip{p.text(s.What), p.text(s.Reason)})
	}
	for _, c := range r.Results {
		c.Instance, c.First = p.name(c.Instance), p.text(c.First)
		c.Base, c.Reader = p.text(c.Base), p.text(c.Reader)
		found.Results = append(found.Results, c)
	}

	looks, captures, err := store(r.Looks, p)
	if err != nil {
		return nil, err
	}
	var errs []error
	encode := func(v any) []byte {
		b, err := json.MarshalIndent(v, "", " ")
		errs = append(errs, err)
		return b
	}
	files := append([]File{
		{findingsFile, "results, versions, and parts that were not tried", encode(found)},
		{looksFile, "the order of the samples, and values of programs and of PDH", encode(looks)},
	}, captures...)
	return files, errors.Join(errs...)
}

// shortName matches a name in the old form of at most 8 characters, such as JOHNDO~1.
var shortName = regexp.MustCompile(`[^\\/]+~\d`)

// learn adds all names in the looks.
func (r *Report) learn(p *pseudonyms) {
	host, _ := os.Hostname()
	p.learnPrivate(host)
	if u, err := user.Current(); err == nil {
		p.learnPrivate(u.Username) // on Windows with its domain
		p.learnPrivate(u.Name)
	}
	for _, name := range []string{"COMPUTERNAME", "USERDOMAIN", "USERDNSDOMAIN"} { // of Windows
		p.learnPrivate(os.Getenv(name))
	}
	for _, short := range shortName.FindAllString(os.TempDir(), -1) { // of the user, in errors
		p.learnPrivate(short)
	}
	for _, c := range r.Checks {
		p.learnText(c.Name + " " + c.Detail)
	}
	for _, s := range r.Skipped {
		p.learnText(s.What + " " + s.Reason)
	}

	for _, l := range r.Looks {
		p.learnText(l.Reader)
		for _, c := range l.Counters {
			for _, in := range c.Names {
				p.learn(in)
			}
		}
		if l.sample != nil {
			p.learnSample(l.sample)
		}
	}
}

// learnSample adds the names in a sample, also of instances without values.
func (p *pseudonyms) learnSample(s *winperf.Sample) {
	var pool frame.Pool
	f, err := pool.Decode(s, frame.Frame{})
	if err != nil {
		return
	}
	for o := range f.Objects() {
		p.learnPrivate(o.Machine())
		for in := range o.Instances() {
			p.learn(in.RawName())
		}
		p.learnTexts(o)
	}
	for v := range f.Values() {
		for _, s := range v.AllSeries() {
			p.learnPrivate(s.Path.Machine)
			p.learn(s.Path.Instance)
		}
	}
}

// learnTexts adds the texts that an object has in place of numbers.
func (p *pseudonyms) learnTexts(o frame.Object) {
	for k := range o.NumCounters() {
		if !o.Counter(k).Type.IsText() {
			continue
		}
		for i := range o.Len() {
			if text, ok := o.Text(i, k); ok {
				p.learn(text)
			}
		}
	}
}

// store returns the looks as they are stored, and the captures of their samples. Samples of one object are
// next to each other, because a capture stores differences.
func store(all []*Look, p *pseudonyms) (looks []storedLook, files []File, err error) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	sorted.Func(order, func(a, b int) int { return strings.Compare(all[a].Object, all[b].Object) })

	looks = make([]storedLook, len(all))
	buffers, writers := map[string]*bytes.Buffer{}, map[string]*capture.Writer{}
	for _, i := range order {
		l := all[i]
		reader := p.text(l.Reader) // the URL of a source can name a machine
		looks[i] = storedLook{Reader: reader, Object: l.Object, Pass: l.Pass, Time: l.Time.UTC()}
		if p == nil {
			looks[i].Text = l.text // it can have other private facts, such as addresses
		}
		if l.sample == nil || l.sample.CheckRaw() != nil {
			looks[i].Counters = storeCounters(l, p)
			continue
		}

		w := writers[reader]
		if w == nil {
			buffers[reader] = &bytes.Buffer{}
			w = capture.NewWriter(buffers[reader], capture.Options{})
			writers[reader] = w
		}
		n := w.Samples()
		if err := w.Write(p.sample(l.sample)); err != nil {
			return nil, nil, err
		}
		looks[i].Sample = &n
	}

	for reader, w := range writers {
		if err := w.Close(); err != nil {
			return nil, nil, err
		}
		files = append(files, File{captureName(reader), "raw samples of " + reader, buffers[reader].Bytes()})
	}
	sorted.Func(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return looks, files, nil
}

// captureName returns the name of the capture of a reader: without characters that file systems refuse.
func captureName(reader string) string {
	clean := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}
	return strings.Trim(strings.Map(clean, reader), "-") + ".capture"
}

func storeCounters(l *Look, p *pseudonyms) (all []storedCounter) {
	for name, c := range l.Counters {
		s := storedCounter{Name: name, Type: c.Type, Tolerance: c.Tolerance, Timeless: c.Timeless, Values: c.Values}
		for _, in := range c.Names {
			s.Instances = append(s.Instances, p.name(in))
		}
		for i := range c.Samples {
			s.Raw = append(s.Raw, c.Samples[i].Value)
		}
		all = append(all, s)
	}
	sorted.Func(all, func(a, b storedCounter) int {
		return strings.Compare(a.Name.String(), b.Name.String())
	})
	return all
}

// sample returns a copy of a sample with pseudonyms.
func (p *pseudonyms) sample(s *winperf.Sample) *winperf.Sample {
	if p == nil {
		return s
	}
	done := &winperf.Sample{Schema: s.Schema, Parts: slices.Clone(s.Parts)}
	for i := range done.Parts {
		part := &done.Parts[i]
		if part.Block != nil {
			raw := p.bytes(&part.Block.Raw)
			part.Block = raw.Block()
		}
		if part.Err != nil {
			part.Err = errors.New(p.text(part.Err.Error()))
		}
	}
	return done
}

// WriteBundle writes the files as a zip file.
func WriteBundle(w io.Writer, files []File) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		out, err := z.Create(f.Name)
		if err != nil {
			return err
		}
		if _, err := out.Write(f.Data); err != nil {
			return err
		}
	}
	return z.Close()
}

// maxFiles limits the sizes of all files of a bundle.
const maxFiles = 1 << 30

// readBundle returns the files of a bundle by name.
func readBundle(r io.ReaderAt, size int64) (map[string][]byte, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", winperf.ErrBadData, err)
	}
	files, room := map[string][]byte{}, int64(maxFiles)

	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", f.Name, winperf.ErrBadData, err)
		}
		b, err := io.ReadAll(io.LimitReader(in, room+1))
		_ = in.Close() // read to its end
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", f.Name, winperf.ErrBadData, err)
		}

		if room -= int64(len(b)); room < 0 {
			return nil, fmt.Errorf("%w: the files have more than %d bytes", winperf.ErrBadData, maxFiles)
		}
		files[f.Name] = b
	}
	return files, nil
}
