package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/internal/suggest"
)

// ReadLine reads a line of at most most bytes. A line without an end is an error.
func ReadLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		chunk, err := in.ReadSlice('\n')
		line = append(line, chunk...)
		switch {
		case len(line) > most:
			return nil, Errorf("bad_request", "a line of more than %d bytes", most)
		case err == nil:
			return bytes.TrimSpace(line), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// DecodeStrict reads JSON and refuses unknown fields, because a misspelled field would have
// no effect.
func DecodeStrict(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(to)

	switch {
	case errors.Is(err, io.EOF):
		return errors.New("expected a JSON object, found nothing")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object is incomplete")
	case err != nil:
		msg := strings.TrimPrefix(err.Error(), "json: ")
		if name, unknown := strings.CutPrefix(msg, "unknown field "); unknown {
			name = strings.Trim(name, `"`)
			return fmt.Errorf("there is no field %q%s", name, DidYouMean(suggest.Closest(name, fieldNames(to))))
		}
		return errors.New(msg)
	}

	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// fieldNames yields the names of all fields of a structure, including nested ones.
func fieldNames(of any) func(yield func(string) bool) {
	return func(yield func(string) bool) { yieldFields(reflect.TypeOf(of), yield) }
}

func yieldFields(t reflect.Type, yield func(string) bool) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return true
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && !yield(name) || !yieldFields(t.Field(i).Type, yield) {
			return false
		}
	}
	return true
}

// ReadSpec reads a specification in JSON of at most most bytes. An unknown field is an
// error, which suggests a known one.
func ReadSpec(r io.Reader, most int64) (*Spec, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("%w: a specification of more than %d bytes", winperf.ErrBadData, most)
	}
	var s Spec
	if err := DecodeStrict(text, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", winperf.ErrBadData, err)
	}
	return &s, nil
}

// DidYouMean returns the end of a message that suggests a name, "" for none.
func DidYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}

// CheckInterval returns an error for an interval below the minimum.
func CheckInterval(d time.Duration) error {
	if d < schedule.Least {
		return fmt.Errorf("an interval of %v: expected %v or more", d, schedule.Least)
	}
	return nil
}
