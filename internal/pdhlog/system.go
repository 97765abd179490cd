package pdhlog

import (
	"fmt"
	"strings"
)

// Zone returns the name of the log's time zone, in the language of its machine. It may be a
// reference to a resource, as "@tzres.dll,-212".
func (h *Header) Zone() string { return h.zone.Name() }

// System returns what wrote the log: "Windows 6.2, build 9200, 64-bit, 2 processors", or
// the program that said so of itself in the head.
func (h *Header) System() string {
	if h.Program != "" {
		return h.Program
	}
	text := fmt.Sprintf(windowsText, h.Major, h.Minor, h.Build, 8*h.PointerSize)
	switch h.Processors {
	case 0:
		return text
	case 1:
		return text + ", 1 processor"
	}
	return fmt.Sprintf("%s, %d processors", text, h.Processors)
}

// writtenBy stands before the name of the program, as what is behind the names of a
// head may be anything.
const writtenBy = "written by "

// programIn returns the program that a text behind the names tells, "" where it tells
// none.
func programIn(text string) string {
	program, told := strings.CutPrefix(text, writtenBy)
	if !told {
		return ""
	}
	return program
}

const windowsText = "Windows %d.%d, build %d, %d-bit"

// setSystem is the reverse of System. A text that it does not make is a program's name,
// and the head then says the version whose logs have the form that is written.
func (h *Header) setSystem(text string) {
	is := Header{}
	bits := 0
	n, _ := fmt.Sscanf(text, windowsText+", %d processor",
		&is.Major, &is.Minor, &is.Build, &bits, &is.Processors)
	is.PointerSize = bits / 8
	if n >= 4 && is.System() == text && (bits == 32 || bits == 64) {
		h.Major, h.Minor, h.Build = is.Major, is.Minor, is.Build
		h.PointerSize, h.Processors = is.PointerSize, is.Processors
		return
	}

	h.Major, h.Minor, h.Build = windowsMajor, windowsMinor, windowsBuild
	h.PointerSize, h.Processors, h.Program = 8, 1, fitName(text)
}
