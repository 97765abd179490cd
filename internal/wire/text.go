package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// Code pages that are Unicode themselves.
const (
	UTF16LE = 0     // what code page 0 of PERF_OBJECT_TYPE stands for
	UTF8    = 65001 // CP_UTF8
)

// ErrText tells that a text cannot be written in the code page asked for.
var ErrText = errors.New("text not in code page")

// codePages are the Windows code pages ("Code Page Identifiers").
var codePages = map[uint32]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852,
	855: charmap.CodePage855, 858: charmap.CodePage858, 860: charmap.CodePage860,
	862: charmap.CodePage862, 863: charmap.CodePage863, 865: charmap.CodePage865,
	866: charmap.CodePage866, 874: charmap.Windows874, 932: japanese.ShiftJIS,
	936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252,
	1253: charmap.Windows1253, 1254: charmap.Windows1254, 1255: charmap.Windows1255,
	1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258,
	20866: charmap.KOI8R, 21866: charmap.KOI8U, 28591: charmap.ISO8859_1,
	28592: charmap.ISO8859_2, 28593: charmap.ISO8859_3, 28594: charmap.ISO8859_4,
	28595: charmap.ISO8859_5, 28596: charmap.ISO8859_6, 28597: charmap.ISO8859_7,
	28598: charmap.ISO8859_8, 28599: charmap.ISO8859_9, 28603: charmap.ISO8859_13,
	28605: charmap.ISO8859_15, 54936: simplifiedchinese.GB18030,
}

// KnownCodePage tells whether text in a code page can be read.
func KnownCodePage(codePage uint32) bool {
	_, known := codePages[codePage]
	return known || codePage == UTF16LE || codePage == UTF8
}

// Text returns b, text in the given code page, as a string. It ends at the
// first NUL. What is no character (an unpaired surrogate, an odd last byte, a
// byte the code page leaves open) becomes U+FFFD; of an unknown code page only
// ASCII is read.
func Text(b []byte, codePage uint32) string { return string(AppendText(nil, b, codePage)) }

// AppendText appends to dst what [Text] returns. Only text in a code page other
// than [UTF16LE] and [UTF8] allocates.
func AppendText(dst, b []byte, codePage uint32) []byte {
	if codePage == UTF16LE {
		b, _, _ = CutUTF16(b)
	} else {
		b, _, _ = bytes.Cut(b, []byte{0})
	}
	return appendAll(dst, b, codePage)
}

// Decode is [Text] that does not end at a NUL: all of b.
func Decode(b []byte, codePage uint32) string { return string(appendAll(nil, b, codePage)) }

// appendAll appends all of b in UTF-8.
func appendAll(dst, b []byte, codePage uint32) []byte {
	if codePage == UTF16LE {
		return appendDecoded(dst, b)
	}
	if e, ok := codePages[codePage]; ok && !ascii(b) {
		if s, err := e.NewDecoder().Bytes(b); err == nil {
			return append(dst, s...)
		}
	}

	for len(b) > 0 {
		r, n := rune(b[0]), 1
		if codePage == UTF8 {
			r, n = utf8.DecodeRune(b)
		} else if r >= utf8.RuneSelf {
			r = utf8.RuneError
		}
		dst, b = utf8.AppendRune(dst, r), b[n:]
	}
	return dst
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// EncodeText returns s in the given code page with a terminating NUL. An error
// wraps [ErrText]: s has a NUL or a character that the code page lacks, or the
// code page is unknown.
func EncodeText(s string, codePage uint32) ([]byte, error) {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return nil, fmt.Errorf("%w: %q has a NUL at byte %d", ErrText, s, i)
	}
	switch codePage {
	case UTF16LE:
		return AppendUTF16Z(make([]byte, 0, 2*len(s)+2), s), nil
	case UTF8:
		return append([]byte(s), 0), nil
	}

	b := []byte(s)
	if e, ok := codePages[codePage]; ok {
		var err error
		if b, err = e.NewEncoder().Bytes(b); err != nil {
			return nil, fmt.Errorf("%w %d: %q", ErrText, codePage, s)
		}
	} else if !ascii(b) {
		return nil, fmt.Errorf("%w %d, which is unknown: %q", ErrText, codePage, s)
	}
	return append(b, 0), nil
}
