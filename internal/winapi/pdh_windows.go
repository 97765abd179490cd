package winapi

import "unsafe"

// Pdh are the functions of pdh.dll for live counters. Sizes of texts are in UTF-16 units,
// others in bytes. Call with an empty buffer to get the size and PDH_MORE_DATA.
type Pdh struct{ dll *DLL }

// NewPdh returns the functions of a library: pdh.dll or a fake.
func NewPdh(dll *DLL) *Pdh { return &Pdh{dll} }

// callPdh calls a function that returns a PDH status; see call.
//
//go:uintptrescapes
func callPdh(d *DLL, function string, args ...uintptr) error {
	status, _, err := call(d, function, args...)
	if err != nil {
		return err
	}
	return PdhStatus(status).Err()
}

// pdhText converts a text for functions, NULL for "".
func pdhText(s string) (*uint16, error) {
	p, err := textOrNull(s)
	if err != nil {
		return nil, PDH_INVALID_ARGUMENT
	}
	return p, nil
}

func boolean(b bool) uintptr {
	if b {
		return 1
	}
	return 0
}

// OpenQuery opens a query of live counters.
//
// sys	PdhOpenQuery(source *uint16, userData uintptr, query *Handle) (status PdhStatus) = pdh.PdhOpenQueryW
func (p *Pdh) OpenQuery() (query uintptr, err error) {
	err = callPdh(p.dll, "PdhOpenQueryW", 0, 0, uintptr(unsafe.Pointer(&query)))
	return query, err
}

// CloseQuery closes a query with all of its counters.
//
// sys	PdhCloseQuery(query Handle) (status PdhStatus) = pdh.PdhCloseQuery
func (p *Pdh) CloseQuery(query uintptr) error { return callPdh(p.dll, "PdhCloseQuery", query) }

// Collect takes a sample of all counters of a query.
//
// sys	PdhCollectQueryData(query Handle) (status PdhStatus) = pdh.PdhCollectQueryData
func (p *Pdh) Collect(query uintptr) error { return callPdh(p.dll, "PdhCollectQueryData", query) }

// AddCounter adds a counter by a path in the system's language.
//
// sys PdhAddCounter(query Handle, path *uint16, userData uintptr, counter *Handle)
// (status PdhStatus) = pdh.PdhAddCounterW
func (p *Pdh) AddCounter(query uintptr, path string) (uintptr, error) {
	return p.add("PdhAddCounterW", query, path)
}

// AddEnglishCounter adds a counter by a path in English.
//
// sys PdhAddEnglishCounter(query Handle, path *uint16, userData uintptr, counter *Handle)
// (status PdhStatus) = pdh.PdhAddEnglishCounterW
func (p *Pdh) AddEnglishCounter(query uintptr, path string) (uintptr, error) {
	return p.add("PdhAddEnglishCounterW", query, path)
}

func (p *Pdh) add(function string, query uintptr, path string) (counter uintptr, err error) {
	text, err := pdhText(path)
	if err != nil {
		return 0, err
	}
	if text == nil {
		text = new(uint16) // PDH reports an empty path by a specific error
	}
	err = callPdh(p.dll, function, query, uintptr(unsafe.Pointer(text)), 0, uintptr(unsafe.Pointer(&counter)))
	return counter, err
}

// RemoveCounter removes a counter from its query.
//
// sys	PdhRemoveCounter(counter Handle) (status PdhStatus) = pdh.PdhRemoveCounter
func (p *Pdh) RemoveCounter(counter uintptr) error {
	return callPdh(p.dll, "PdhRemoveCounter", counter)
}

// CounterInfo reads the description of a counter; see [Memory.CounterInfo].
//
// sys PdhGetCounterInfo(counter Handle, explain bool, size *uint32, info
// *PDH_COUNTER_INFO) (status PdhStatus) = pdh.PdhGetCounterInfoW
func (p *Pdh) CounterInfo(counter uintptr, buf Memory) (size uint32, err error) {
	size = uint32(buf.Bytes())
	err = callPdh(p.dll, "PdhGetCounterInfoW", counter, 1, uintptr(unsafe.Pointer(&size)),
		uintptr(pointer(buf)))
	return size, err
}

// TimeBase returns the ticks per second of a counter's clock.
//
// sys	PdhGetCounterTimeBase(counter Handle, base *int64) (status PdhStatus) = pdh.PdhGetCounterTimeBase
func (p *Pdh) TimeBase(counter uintptr) (base int64, err error) {
	err = callPdh(p.dll, "PdhGetCounterTimeBase", counter, uintptr(unsafe.Pointer(&base)))
	return base, err
}

// RawValue reads the raw value of a counter without a wildcard.
//
// sys PdhGetRawCounterValue(counter Handle, typ *uint32, value *PDH_RAW_COUNTER) (status
// PdhStatus) = pdh.PdhGetRawCounterValue
func (p *Pdh) RawValue(counter uintptr, value *PDH_RAW_COUNTER) error {
	return callPdh(p.dll, "PdhGetRawCounterValue", counter, 0, uintptr(unsafe.Pointer(value)))
}

// RawArray reads the raw values of all instances of a counter; see
// [Memory.RawItems].
//
// sys PdhGetRawCounterArray(counter Handle, size *uint32, count *uint32, items
// *PDH_RAW_COUNTER_ITEM) (status PdhStatus) = pdh.PdhGetRawCounterArrayW
func (p *Pdh) RawArray(counter uintptr, buf Memory) (size, count uint32, err error) {
	size = uint32(buf.Bytes())
	err = callPdh(p.dll, "PdhGetRawCounterArrayW", counter, uintptr(unsafe.Pointer(&size)),
		uintptr(unsafe.Pointer(&count)), uintptr(pointer(buf)))
	return size, count, err
}

// Formatted reads the displayed value of a counter without a wildcard. If it has none, the
// error says so, and value.CStatus is the reason.
//
// sys PdhGetFormattedCounterValue(counter Handle, format uint32, typ *uint32, value
// *PDH_FMT_COUNTERVALUE) (status PdhStatus) = pdh.PdhGetFormattedCounterValue
func (p *Pdh) Formatted(counter uintptr, format uint32, value *PDH_FMT_COUNTERVALUE) error {
	return callPdh(p.dll, "PdhGetFormattedCounterValue", counter, uintptr(format), 0,
		uintptr(unsafe.Pointer(value)))
}

// FormattedArray reads the displayed values of all instances of a counter; see
// [Memory.FormattedItems].
//
// sys PdhGetFormattedCounterArray(counter Handle, format uint32, size *uint32, count
// *uint32, items *PDH_FMT_COUNTERVALUE_ITEM) (status PdhStatus) =
// pdh.PdhGetFormattedCounterArrayW
func (p *Pdh) FormattedArray(counter uintptr, format uint32, buf Memory) (size, count uint32, err error) {
	size = uint32(buf.Bytes())
	err = callPdh(p.dll, "PdhGetFormattedCounterArrayW", counter, uintptr(format),
		uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&count)), uintptr(pointer(buf)))
	return size, count, err
}

// EnumObjects lists the objects of a machine, as MULTI_SZ.
//
// sys PdhEnumObjects(source *uint16, machine *uint16, list *uint16, size *uint32, detail
// uint32, refresh bool) (status PdhStatus) = pdh.PdhEnumObjectsW
func (p *Pdh) EnumObjects(machine string, buf []uint16, detail uint32, refresh bool) (size uint32,
	err error) {
	name, err := pdhText(machine)
	if err != nil {
		return 0, err
	}
	size = uint32(len(buf))
	err = callPdh(p.dll, "PdhEnumObjectsW", 0, uintptr(unsafe.Pointer(name)), uintptr(pointer(buf)),
		uintptr(unsafe.Pointer(&size)), uintptr(detail), boolean(refresh))
	return size, err
}

// EnumObjectItems lists the counters and instances of an object, each once, as
// MULTI_SZ.
//
// sys PdhEnumObjectItems(source *uint16, machine *uint16, object *uint16, counters
// *uint16, counterSize *uint32, instances *uint16, instanceSize *uint32, detail uint32,
// flags uint32) (status PdhStatus) = pdh.PdhEnumObjectItemsW
func (p *Pdh) EnumObjectItems(machine, object string, counters, instances []uint16,
	detail uint32) (counterSize, instanceSize uint32, err error) {
	name, err := pdhText(machine)
	if err != nil {
		return 0, 0, err
	}

	text, err := pdhText(object)
	if err != nil {
		return 0, 0, err
	}

	counterSize = uint32(len(counters))
	instanceSize = uint32(len(instances))
	err = callPdh(p.dll, "PdhEnumObjectItemsW", 0, uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(text)), uintptr(pointer(counters)), uintptr(unsafe.Pointer(&counterSize)),
		uintptr(pointer(instances)), uintptr(unsafe.Pointer(&instanceSize)), uintptr(detail), 0)
	return counterSize, instanceSize, err
}
