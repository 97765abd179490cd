package winapi

import (
	"cmp"
	"errors"
	"syscall"
	"unsafe"
)

// Events are the calls of wevtapi.dll that read the event log.
type Events struct{ dll *DLL }

// NewEvents returns the calls of a library: wevtapi.dll or a fake.
func NewEvents(dll *DLL) *Events { return &Events{dll} }

// Flags of the calls (winevt.h).
const (
	evtQueryChannelPath      = 0x1
	evtQueryReverseDirection = 0x200
	evtRenderEventXML        = 1
	evtFormatMessageEvent    = 1
)

// eventWait limits the wait for the next event, in milliseconds.
const eventWait = 10_000

// Event is an entry of the event log.
type Event struct {
	XML     string
	Message string // in the language of the user, "" if the texts of its provider are missing
}

// Read returns at most most events of a channel that match an XPath query, the newest first. The messages
// are texts of one provider.
//
// sys EvtQuery(session Handle, path *uint16, query *uint16, flags uint32) (result Handle,
// err error) = wevtapi.EvtQuery
// sys EvtOpenPublisherMetadata(session Handle, provider *uint16, file *uint16, locale uint32,
// flags uint32) (metadata Handle, err error) = wevtapi.EvtOpenPublisherMetadata
// sys EvtNext(result Handle, size uint32, events *Handle, timeout uint32, flags uint32,
// returned *uint32) (err error) = wevtapi.EvtNext
// sys EvtClose(object Handle) (err error) = wevtapi.EvtClose
func (e *Events) Read(channel, query, provider string, most int) (events []Event, err error) {
	path, pathErr := text16(channel)
	text, textErr := text16(query)
	name, nameErr := text16(provider)
	if err := errors.Join(pathErr, textErr, nameErr); err != nil {
		return nil, err
	}

	result, errno, err := call(e.dll, "EvtQuery", 0,
		uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(text)), evtQueryChannelPath|evtQueryReverseDirection)
	switch {
	case err != nil:
		return nil, err
	case result == 0: // Wine returns no reason
		return nil, cmp.Or(errno, ERROR_NOT_SUPPORTED)
	}
	defer e.close(result)
	metadata, _, err := call(e.dll, "EvtOpenPublisherMetadata", 0, uintptr(unsafe.Pointer(name)), 0, 0, 0)
	if err == nil && metadata != 0 {
		defer e.close(metadata)
	}

	for len(events) < most {
		var event uintptr
		var returned uint32
		ok, errno, err := call(e.dll, "EvtNext", result, 1, uintptr(unsafe.Pointer(&event)), eventWait, 0,
			uintptr(unsafe.Pointer(&returned)))
		switch {
		case err != nil:
			return events, err
		case ok == 0 && errno == ERROR_NO_MORE_ITEMS:
			return events, nil
		case ok == 0:
			return events, errno
		}

		read, err := e.render(event, metadata)
		e.close(event)
		if err != nil {
			return events, err
		}
		events = append(events, read)
	}
	return events, nil
}

func (e *Events) close(handle uintptr) { _, _, _ = call(e.dll, "EvtClose", handle) }

// render returns the texts of an event.
//
// sys EvtRender(context Handle, fragment Handle, flags uint32, size uint32, buffer *byte,
// used *uint32, properties *uint32) (err error) = wevtapi.EvtRender
// sys EvtFormatMessage(metadata Handle, event Handle, id uint32, count uint32, values *byte,
// flags uint32, size uint32, buffer *uint16, used *uint32) (err error) = wevtapi.EvtFormatMessage
func (e *Events) render(event, metadata uintptr) (read Event, err error) {
	read.XML, err = grown(func(buf []uint16, used *uint32) (uintptr, Errno, error) {
		var properties uint32
		size := uintptr(2 * len(buf)) // bytes
		return call(e.dll, "EvtRender", 0, event, evtRenderEventXML, size, uintptr(pointer(buf)),
			uintptr(unsafe.Pointer(used)), uintptr(unsafe.Pointer(&properties)))
	})
	if err != nil || metadata == 0 {
		return read, err
	}

	// The XML has all values of an event without message.
	read.Message, _ = grown(func(buf []uint16, used *uint32) (uintptr, Errno, error) {
		return call(e.dll, "EvtFormatMessage", metadata, event, 0, 0, 0, evtFormatMessageEvent, uintptr(len(buf)),
			uintptr(pointer(buf)), uintptr(unsafe.Pointer(used)))
	})
	return read, nil
}

// grown calls a function that writes a text, with growing buffers.
func grown(write func(buf []uint16, used *uint32) (ok uintptr, errno Errno, err error)) (string, error) {
	const least, most = 1 << 11, 1 << 20 // units; an event has at most 64 KiB
	for size := least; ; size *= 8 {
		buf := make([]uint16, size)
		var used uint32
		ok, errno, err := write(buf, &used)
		switch {
		case err != nil:
			return "", err
		case ok != 0:
			return syscall.UTF16ToString(buf), nil
		case errno != ERROR_INSUFFICIENT_BUFFER || size >= most:
			return "", cmp.Or(errno, ERROR_NOT_SUPPORTED)
		}
	}
}
