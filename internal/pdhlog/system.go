package pdhlog

import (
	"fmt"
	"strings"
)

// Zone returns the name of the log's time zone, in the language of its machine, or a
// reference to a resource, such as "@tzres.dll,-212".
func (h *Header) Zone() string { return h.zone.Name() }

// System returns the writer of the log: "Windows 6.2, build 9200, 64-bit, 2 processors", or
// Program.
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

// writtenBy precedes the name of the program, because other bytes may follow the names of a
// head.
const writtenBy = "written by "

// programIn returns the program in the text behind the names, or "".
func programIn(text string) string {
	program, written := strings.CutPrefix(text, writtenBy)
	if !written {
		return ""
	}
	return program
}

const windowsText = "Windows %d.%d, build %d, %d-bit"

// setSystem is the reverse of System. Other texts are the name of a program; the version is
// then the Windows version whose log format is written.
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
