package counterset

import (
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
)

// Data is a decoded result of PerfQueryCounterData: a PERF_DATA_HEADER and its answers.
type Data struct {
	Clocks     counter.Clocks
	SystemTime [8]uint16 // SYSTEMTIME
	Answers    []Answer
}

// Answer is the answer to one identifier of the query: a PERF_COUNTER_HEADER and its data.
type Answer struct {
	Status    Status
	Form      Form
	Counters  []uint32   // ids of the forms MultipleCounters and FullSet
	Instances []Instance // a single one without a name for SingleCounter and MultipleCounters
}

// Instance is an instance with its values, one for each counter.
type Instance struct {
	InstanceName
	Values []Value
}

// Value is a PERF_COUNTER_DATA.
type Value struct {
	Size uint32 // 4 or 8; otherwise there is no value
	Bits uint64
}

// ParseData decodes a sample. damage lists the unreadable answers or ends of answers; err
// means that the remaining answers are lost. All are of type [*winperf.DataError]. Bytes
// behind dwTotalSize are ignored, see [ParseIdentifiers].
func ParseData(b []byte) (d *Data, damage []error, err error) {
	h, fatal, headErr := readHead(b)
	if fatal {
		return nil, nil, headErr
	}

	// The truncation is the error, whatever its effect on the last answer.
	if headErr != nil {
		err = headErr
	}

	b = b[:h.total]
	d = &Data{Clocks: h.clocks}
	for i := range d.SystemTime {
		d.SystemTime[i] = le.Uint16(b[atSystemTime+2*i:])
	}

	off := uint32(headerSize)
	for range h.answers {
		a, fatal, answerErr := readAnswer(b, off)
		if fatal {
			if err == nil {
				err = answerErr
			}
			return d, damage, err
		}

		off = a.end
		parsed := Answer{Status: a.status, Form: a.form}
		if answerErr == nil {
			if err := a.empty(); err != nil {
				damage = append(damage, err)
			}
			answerErr = a.parse(b, &parsed)
		}

		if answerErr != nil {
			damage = append(damage, answerErr)
		}
		d.Answers = append(d.Answers, parsed)
	}
	return d, damage, err
}

// parse decodes the counters and instances of a checked answer.
func (a *answer) parse(b []byte, dst *Answer) *winperf.DataError {
	for ; len(a.ids) > 0; a.ids = a.ids[4:] {
		dst.Counters = append(dst.Counters, u32(a.ids, 0))
	}
	pos := a.pos
	for i := range a.count {
		var in Instance
		if a.form.listsInstances() {
			values, name, err := readInstance(b, pos, a.last)
			if err != nil {
				err.Part = "instance"
				err.Number = int(i)
				return err
			}
			in.ID = u32(b, int(pos)+atInstanceID)
			in.Name = wire.Text(b[pos+instanceSize:][:name], wire.UTF16LE)
			pos = values
		}

		for range a.values {
			v, end, err := readValue(b, pos, a.last)
			if err != nil {
				err.Part = "instance"
				err.Number = int(i)
				return err
			}
			in.Values = append(in.Values, Value{Size: v.size, Bits: v.bits})
			pos = end
		}
		dst.Instances = append(dst.Instances, in)
	}
	return nil
}

// AppendData appends the sample in Windows' layout: values in blocks of 16 bytes, all
// lengths a multiple of 8. The error wraps ErrEncode: a name has a NUL, an instance has a
// wrong number of values, an answer reports success without counters, or the form
// contradicts the content.
func AppendData(dst []byte, d *Data) ([]byte, error) {
	start := len(dst)
	dst = append(dst, make([]byte, headerSize)...)
	for i := range d.Answers {
		var err error
		if dst, err = d.Answers[i].append(dst); err != nil {
			return dst[:start], fmt.Errorf("answer %d: %w", i, err)
		}
	}

	total := len(dst) - start
	if total > MaxBytes {
		return dst[:start], fmt.Errorf("%w: %d bytes, expected at most %d", ErrEncode, total, MaxBytes)
	}

	h := dst[start:]
	le.PutUint32(h[atTotal:], uint32(total))
	le.PutUint32(h[atNumAnswers:], uint32(len(d.Answers)))
	le.PutUint64(h[atPerfTime:], uint64(d.Clocks.PerfTime))
	le.PutUint64(h[atTime100ns:], uint64(d.Clocks.Time100ns))
	le.PutUint64(h[atPerfFreq:], uint64(d.Clocks.PerfFreq))
	for i, v := range d.SystemTime {
		le.PutUint16(h[atSystemTime+2*i:], v)
	}
	return dst, nil
}

func (a *Answer) append(dst []byte) ([]byte, error) {
	start := len(dst)
	for _, v := range [...]uint32{uint32(a.Status), uint32(a.Form), 0, 0} {
		dst = le.AppendUint32(dst, v)
	}

	if err := a.check(); err != nil {
		return dst[:start], err
	}
	if a.Form.listsCounters() {
		multi := len(dst)
		dst = append(dst, make([]byte, multiSize)...)
		for _, id := range a.Counters {
			dst = le.AppendUint32(dst, id)
		}
		dst = pad(dst, multi)
		le.PutUint32(dst[multi+atMultiSize:], uint32(len(dst)-multi))
		le.PutUint32(dst[multi+atMultiCount:], uint32(len(a.Counters)))
	}

	list := len(dst)
	if a.Form.listsInstances() {
		dst = append(dst, make([]byte, multiSize)...)
		le.PutUint32(dst[list+atMultiCount:], uint32(len(a.Instances)))
	}

	for i := range a.Instances {
		in := &a.Instances[i]
		if a.Form.listsInstances() {
			var err error
			if dst, err = AppendInstance(dst, in.InstanceName); err != nil {
				return dst[:start], fmt.Errorf("instance %d: %w", i, err)
			}
		}
		for _, v := range in.Values {
			dst = appendValue(dst, v)
		}
	}

	if a.Form.listsInstances() {
		le.PutUint32(dst[list+atMultiSize:], uint32(len(dst)-list))
	}
	le.PutUint32(dst[start+atAnswerSize:], uint32(len(dst)-start))
	return dst, nil
}

// check returns an error if form and content of an answer contradict.
func (a *Answer) check() error {
	values := 1
	switch a.Form {
	case errorReturn:
		values = 0
	case MultipleCounters, FullSet:
		values = len(a.Counters)
	}

	switch {
	case a.Form > FullSet || a.Form == 3 || a.Form == 5:
		return fmt.Errorf("%w: form %d", ErrEncode, a.Form)
	case !a.Form.listsCounters() && len(a.Counters) > 0:
		return fmt.Errorf("%w: %d counter ids, form %d has none", ErrEncode, len(a.Counters), a.Form)
	case a.Form == errorReturn && len(a.Instances) > 0,
		(a.Form == SingleCounter || a.Form == MultipleCounters) && len(a.Instances) != 1:
		return fmt.Errorf("%w: form %d cannot have %d instances", ErrEncode, a.Form, len(a.Instances))
	case a.Status == Success && values == 0:
		return fmt.Errorf("%w: status 0, but no counters", ErrEncode)
	}

	for i := range a.Instances {
		in := &a.Instances[i]
		if len(in.Values) != values {
			return fmt.Errorf("%w: instance %d has %d values, expected %d", ErrEncode, i, len(in.Values), values)
		}
		if !a.Form.listsInstances() && in.InstanceName != (InstanceName{}) {
			return fmt.Errorf("%w: form %d has no room for the instance %q", ErrEncode, a.Form, in.Name)
		}
	}
	return nil
}

// appendValue appends a PERF_COUNTER_DATA. A missing value has the usual size.
func appendValue(dst []byte, v Value) []byte {
	if v.Size != 4 && v.Size != 8 {
		v = Value{}
	}
	dst = le.AppendUint32(dst, v.Size)
	dst = le.AppendUint32(dst, slotSize)
	if v.Size == 4 {
		v.Bits &= 0xFFFFFFFF
	}
	return le.AppendUint64(dst, v.Bits)
}
