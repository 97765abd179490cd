package counterset

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
)

// Form is the form of an answer: PERF_COUNTER_HEADER.dwType.
type Form uint32

// The forms.
const (
	errorReturn       Form = 0 // no values: PERF_ERROR_RETURN
	SingleCounter     Form = 1 // one counter of one instance
	MultipleCounters  Form = 2 // several counters of one instance
	MultipleInstances Form = 4 // one counter of several instances
	FullSet           Form = 6 // several counters of several instances: PERF_COUNTERSET
)

// listsCounters reports whether the form has a PERF_MULTI_COUNTERS.
func (f Form) listsCounters() bool { return f == MultipleCounters || f == FullSet }

// listsInstances reports whether the form has a PERF_MULTI_INSTANCES.
func (f Form) listsInstances() bool { return f == MultipleInstances || f == FullSet }

type head struct {
	total, answers uint32
	clocks         counter.Clocks
}

// readHead checks the header. Only truncation is not fatal: total is then the length of the
// bytes.
func readHead(b []byte) (h head, fatal bool, err *winperf.DataError) {
	if len(b) < headerSize {
		return h, true, checkHeader.Fault(0, int64(len(b)), headerSize)
	}

	there := uint32(min(len(b), MaxBytes))
	h = head{
		total: u32(b, atTotal), answers: u32(b, atNumAnswers),
		clocks: counter.Clocks{PerfTime: i64(b, atPerfTime), PerfFreq: i64(b, atPerfFreq),
			Time100ns: i64(b, atTime100ns)},
	}
	if h.total < headerSize {
		return h, true, checkTotal.Fault(atTotal, int64(h.total), int64(there))
	}
	if space := (h.total - headerSize) / answerSize; h.answers > space {
		return h, true, checkAnswerCount.Fault(atNumAnswers, int64(h.answers), int64(space))
	}

	if h.total > there {
		err = checkTotal.Fault(atTotal, int64(h.total), int64(there))
		h.total = there
	}
	return h, false, err
}

// answer is a PERF_COUNTER_HEADER and its data, checked up to the instances. All offsets
// are from the start of the data.
type answer struct {
	off, end uint32
	status   Status
	form     Form
	ids      []byte // DWORDs: the counter ids of forms that list them
	values   uint32 // number of PERF_COUNTER_DATA of an instance
	pos      uint32 // begin of values or instances
	last     uint32 // their greatest end
	count    uint32 // of instances, 1 for forms that do not list them
}

// readAnswer checks the answer at off. The next one is at a.end; fatal means that it cannot
// be found.
func readAnswer(b []byte, off uint32) (a answer, fatal bool, err *winperf.DataError) {
	left := uint32(len(b)) - off
	if left < answerSize {
		return a, true, checkAnswer.Fault(off, int64(left), answerSize)
	}

	h := b[off:]
	size := u32(h, atAnswerSize)
	if size < answerSize || size > left {
		return a, true, checkAnswerSize.Fault(off+atAnswerSize, int64(size), int64(left))
	}

	a = answer{
		off: off, end: off + size, status: Status(u32(h, atStatus)), form: Form(u32(h, atForm)),
		values: 1, pos: off + answerSize, last: off + size, count: 1,
	}
	switch a.form {
	case errorReturn:
		a.values, a.count = 0, 0
		return a, false, nil
	case SingleCounter, MultipleCounters, MultipleInstances, FullSet:
	default:
		return a, false, checkForm.Fault(off+atForm, int64(a.form), 0)
	}

	if a.form.listsCounters() {
		if err := a.readIDs(b); err != nil {
			return a, false, err
		}
	}
	if a.form.listsInstances() {
		if err := a.readList(b); err != nil {
			return a, false, err
		}
	}
	return a, false, nil
}

// empty returns an error if an answer reports success but is an error or lists no counters.
func (a *answer) empty() *winperf.DataError {
	switch {
	case a.status != Success:
		return nil
	case a.form == errorReturn:
		return checkErrorStatus.Fault(a.off+atStatus, 0, 0)
	case a.values == 0:
		return checkNoIDs.Fault(a.off+answerSize+atMultiCount, 0, 0)
	}
	return nil
}

func (a *answer) readIDs(b []byte) *winperf.DataError {
	left := a.end - a.pos
	if left < multiSize {
		return checkIDs.Fault(a.pos, int64(left), multiSize)
	}

	size, n := u32(b, int(a.pos)+atMultiSize), u32(b, int(a.pos)+atMultiCount)
	if size < multiSize || size > left {
		return checkIDsSize.Fault(a.pos+atMultiSize, int64(size), int64(left))
	}
	if space := (size - multiSize) / 4; n > space {
		return checkIDCount.Fault(a.pos+atMultiCount, int64(n), int64(space))
	}

	a.ids = b[a.pos+multiSize:][: 4*n : 4*n]
	a.values = n
	a.pos += size
	return nil
}

func (a *answer) readList(b []byte) *winperf.DataError {
	left := a.end - a.pos
	if left < multiSize {
		return checkInstances.Fault(a.pos, int64(left), multiSize)
	}

	size, n := u32(b, int(a.pos)+atMultiSize), u32(b, int(a.pos)+atMultiCount)
	if size < multiSize || size > left {
		return checkInstancesSize.Fault(a.pos+atMultiSize, int64(size), int64(left))
	}
	if space := (size - multiSize) / (instanceSize + 2); n > space { // a name has at least its NUL
		return checkInstanceCount.Fault(a.pos+atMultiCount, int64(n), int64(space))
	}

	a.last = a.pos + size
	a.count = n
	a.pos += multiSize
	return nil
}

// readInstance checks the PERF_INSTANCE_HEADER at pos and returns the begin of its values
// and the length of its name, including NUL.
func readInstance(b []byte, pos, last uint32) (values, name uint32, err *winperf.DataError) {
	values, err = readInstanceHeader(b, pos, last)
	if err != nil {
		return 0, 0, err
	}
	n := terminated(b[pos+instanceSize : values])
	if n < 0 {
		return 0, 0, checkName.Fault(pos+instanceSize, int64(values-pos-instanceSize), 0)
	}
	return values, uint32(n), nil
}

// readInstanceHeader checks the PERF_INSTANCE_HEADER at pos, but not its name, and returns
// the begin of the values.
func readInstanceHeader(b []byte, pos, last uint32) (values uint32, err *winperf.DataError) {
	left := last - pos
	if left < instanceSize {
		return 0, checkInstance.Fault(pos, int64(left), instanceSize)
	}

	size := u32(b, int(pos)+atInstanceSize)
	if size < instanceSize || size > left {
		return 0, checkInstanceSize.Fault(pos+atInstanceSize, int64(size), int64(left))
	}
	return pos + size, nil
}

// terminated returns the length of UTF-16 text with its NUL, -1 without one.
func terminated(b []byte) int {
	text, _, found := wire.CutUTF16(b)
	if !found {
		return -1
	}
	return len(text) + 2
}

type value struct {
	size uint32 // 4 or 8; otherwise there is no value
	bits uint64
}

func (v value) ok() bool { return v.size == 4 || v.size == 8 }

// readValue checks the PERF_COUNTER_DATA at pos and returns its end. Without a value (a
// size of neither 4 nor 8) it may be as short as its header.
func readValue(b []byte, pos, last uint32) (v value, end uint32, err *winperf.DataError) {
	left := last - pos
	if left < dataSize {
		return v, 0, checkValue.Fault(pos, int64(left), dataSize)
	}

	v.size = u32(b, int(pos)+atValueSize)
	size := u32(b, int(pos)+atSlotSize)
	least := uint32(slotSize)
	if !v.ok() {
		least = dataSize
	}

	if size < least || size > left {
		return v, 0, checkValueSize.Fault(pos+atSlotSize, int64(size), int64(left))
	}
	if v.size > size-dataSize {
		return v, 0, checkValueSpace.Fault(pos+atValueSize, int64(v.size), int64(size-dataSize))
	}

	switch v.size {
	case 4:
		v.bits = uint64(u32(b, int(pos)+dataSize))
	case 8:
		v.bits = le.Uint64(b[pos+dataSize:])
	}
	return v, pos + size, nil
}
