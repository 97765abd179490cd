package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/internal/pdhtext"
	"github.com/winperf/winperf/source/internal/replay"
)

// logKind is one kind of log.
type logKind struct {
	name       string
	extensions []string
	is         func(start []byte) bool // recognises the kind by the start of a file
	open       logOpener
}

type logOpener func(file replay.File, opt Options) (winperf.Source, error)

// plain returns an opener of a log without options.
func plain(open func(replay.File) (winperf.Source, error)) logOpener {
	return func(file replay.File, _ Options) (winperf.Source, error) { return open(file) }
}

func openText(file replay.File, opt Options) (winperf.Source, error) {
	return replay.OpenText(file, replay.TextOptions{CodePage: opt.CodePage, Location: opt.Location})
}

// logKinds returns the kinds of logs that OpenLog knows.
func logKinds() []logKind {
	return []logKind{
		{"PDH text log", []string{".csv", ".tsv"}, isText, openText},
		{"PDH binary log", []string{".blg"}, pdhlog.IsLog, plain(replay.OpenBLG)},
		{"winperf capture", []string{".capture"}, isCapture, plain(replay.OpenCapture)},
		{"performance data block", []string{".bin", ".perfdata"}, isBlock, plain(replay.OpenBlock)},
		{"performance data block as text", nil, replay.IsBlockText, plain(replay.OpenBlock)},
		{"readings as JSON lines", []string{".jsonl", ".ndjson"}, replay.IsJSONL, plain(replay.OpenJSONL)},
	}
}

// startSize is the number of bytes at the start of a file that identify its kind.
const startSize = 64 << 10

func isText(start []byte) bool {
	_, err := pdhtext.NewReader(bytes.NewReader(start), pdhtext.ReadOptions{})
	return err == nil
}

func isCapture(start []byte) bool { return bytes.HasPrefix(start, capture.Magic()) }

func isBlock(start []byte) bool { return bytes.HasPrefix(start, []byte("P\x00E\x00R\x00F\x00")) }

// OpenLog opens a log. It detects the kind of log from the content or, if the content is unknown,
// from the extension of the file name. A log compressed by gzip or zstd is unpacked to a temporary
// file, which is removed when the source is closed. The error wraps fs.ErrNotExist for a missing
// file, winperf.ErrNotSupported for a file of an unknown kind, and winperf.ErrBadData for a file
// that is too damaged. Other damage is in the samples.
func OpenLog(ctx context.Context, file string, opt Options) (winperf.Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	log, damage, err := replay.Unpack(ctx, file)
	if err != nil {
		return nil, err
	}
	return openUnpacked(log, damage, opt)
}

// ReadLog opens a log from a reader. It first copies r to its end into a temporary file, which is
// removed when the source is closed. Messages use name for the log. The errors are the errors of r
// and of [OpenLog].
func ReadLog(ctx context.Context, name string, r io.Reader, opt Options) (winperf.Source, error) {
	log, damage, err := replay.Spool(ctx, name, r)
	if err != nil {
		return nil, err
	}
	return openUnpacked(log, damage, opt)
}

// openUnpacked opens an uncompressed log.
func openUnpacked(log replay.File, damage error, opt Options) (winperf.Source, error) {
	src, err := openKind(log, opt)
	if err != nil {
		return nil, errors.Join(err, log.Remove())
	}
	if !log.Copied() {
		return src, nil
	}
	return &unpacked{Source: src, log: log, damage: damage}, nil
}

func openKind(log replay.File, opt Options) (winperf.Source, error) {
	start, err := log.Start(startSize)
	if err != nil {
		return nil, err
	}

	kinds := logKinds()
	i := slices.IndexFunc(kinds, func(k logKind) bool { return k.is(start) })
	if i < 0 {
		i = kindByName(log.Name)
	}

	if i < 0 && len(start) == 0 {
		return nil, fmt.Errorf("%s: an empty file is %w as a log", log.Name, winperf.ErrNotSupported)
	}
	if i < 0 {
		var names []string
		for _, k := range kinds {
			names = append(names, k.name)
		}
		return nil, fmt.Errorf("%s is not a log of a known kind (%s): %w",
			log.Name, strings.Join(names, ", "), winperf.ErrNotSupported)
	}

	src, err := kinds[i].open(log, opt)
	if errors.Is(err, pdhtext.ErrNoHead) && len(start) == 0 {
		return nil, fmt.Errorf("%s: %w: the file is empty", log.Name, winperf.ErrBadData)
	}
	if err != nil {
		return nil, err
	}
	return inZone(src, opt.Location), nil
}

// inZone returns src with zone as its time zone if src is a log and zone is not nil, else src.
func inZone(src winperf.Source, zone *time.Location) winperf.Source {
	if zone == nil || !src.Describe().Recorded {
		return src
	}
	return zoned{src, zone}
}

// zoned is a log with a time zone from the caller.
type zoned struct {
	winperf.Source
	zone *time.Location
}

// Describe implements winperf.Source.
func (s zoned) Describe() winperf.Description {
	d := s.Source.Describe()
	d.Log.Location = s.zone
	return d
}

// kindByName returns the index in logKinds for the file's extension, -1 for none.
func kindByName(name string) int {
	extension := strings.ToLower(filepath.Ext(replay.BareName(name)))
	return slices.IndexFunc(logKinds(),
		func(k logKind) bool { return slices.Contains(k.extensions, extension) })
}

// unpacked is a log in a temporary file.
type unpacked struct {
	winperf.Source
	log    replay.File
	damage error // damage at the end of the unpacked data
}

// Compile implements winperf.Source.
func (u *unpacked) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	q, err := u.Source.Compile(ctx, sel)
	if err != nil || u.damage == nil {
		return q, err
	}
	return &unpackedQuery{q, u.damage}, nil
}

// Close implements winperf.Source.
func (u *unpacked) Close() error { return errors.Join(u.Source.Close(), u.log.Remove()) }

// unpackedQuery adds the file's damage to the first sample.
type unpackedQuery struct {
	winperf.Query
	damage error
}

// Next implements winperf.Query.
func (q *unpackedQuery) Next(ctx context.Context, s *winperf.Sample) error {
	err := q.Query.Next(ctx, s)
	if q.damage != nil {
		s.Damage = append(s.Damage, q.damage)
		q.damage = nil
	}
	return err
}

// namesFile reports whether a URL without a known scheme is the name of an existing file or has the
// extension of a log.
func namesFile(name string) bool {
	if _, err := os.Stat(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err == nil
	}
	return kindByName(name) >= 0
}

// logForm is the URL form of openLogURL, for messages.
const logForm = "log:FILE[?zone=ZONE&codepage=N]"

// openLogURL opens FILE[?zone=ZONE&codepage=N].
func openLogURL(ctx context.Context, rest string, over Options) (winperf.Source, error) {
	file, query := rest, ""
	if i := strings.LastIndexByte(rest, '?'); i >= 0 {
		if _, err := os.Stat(rest); err != nil { // rest is no file name with a question mark
			file, query = rest[:i], rest[i+1:]
		}
	}

	values, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B")) // of +05:30
	if err != nil {
		return nil, fmt.Errorf("%q is %w, expected %s", query, winperf.ErrNotSupported, logForm)
	}

	var opt Options
	for key, value := range values {
		switch key {
		case "zone":
			opt.Location, err = ParseZone(value[0])
		case "codepage":
			opt.CodePage, err = ParseCodePage(value[0])
		default:
			err = fmt.Errorf("option %q is %w, expected %s", key, winperf.ErrNotSupported, logForm)
		}
		if err != nil {
			return nil, err
		}
	}

	if over.Location != nil {
		opt.Location = over.Location
	}
	opt.CodePage = cmp.Or(over.CodePage, opt.CodePage)
	return OpenLog(ctx, file, opt)
}

// ParseZone parses a time zone: UTC, Local, a name of the IANA database such as Europe/Berlin, or
// an offset from UTC such as +05:30. The error wraps winperf.ErrNotSupported for any other text.
func ParseZone(s string) (*time.Location, error) {
	if t, err := time.Parse("Z07:00", s); err == nil {
		_, offset := t.Zone()
		return time.FixedZone(s, offset), nil
	}
	zone, err := time.LoadLocation(s)
	if err != nil || s == "" {
		return nil, fmt.Errorf(
			"time zone %q is %w, expected a name such as Europe/Berlin or an offset such as +05:30",
			s, winperf.ErrNotSupported)
	}
	return zone, nil
}

// ParseCodePage parses the number of a Windows code page, with or without cp before it: 1251 or
// cp1251. The error wraps winperf.ErrNotSupported for any other text and for an unknown number.
func ParseCodePage(s string) (uint32, error) {
	digits := s
	if len(s) > 2 && strings.EqualFold(s[:2], "cp") {
		digits = s[2:]
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || !pdhtext.KnownCodePage(uint32(n)) {
		return 0, fmt.Errorf("code page %q is %w, expected its number, such as 1251, or 65001 for UTF-8",
			s, winperf.ErrNotSupported)
	}
	return uint32(n), nil
}
