package nametable

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// English is the language that every system has.
const English = "009"

// Primary languages with a table for each sublanguage.
const (
	primaryChinese    = 0x04
	primaryPortuguese = 0x16
)

// ParseLanguage returns a language id in the form of the registry keys below Perflib: three
// or more hexadecimal digits of the primary language, with the sublanguage for Chinese and
// Portuguese only. It accepts a hexadecimal language identifier of winnt.h, with or without
// leading zeros and 0x (9, 009, 409 and 0x0409 are all 009; 0x804 stays 804), and an
// English name or ISO 639-1 code, with or without a region (German, de, de-AT). Two letters
// are always a code. The error wraps [winperf.ErrBadData].
func ParseLanguage(s string) (string, error) {
	if id := languageNamed(s); id != "" {
		return id, nil
	}

	digits := strings.TrimPrefix(strings.ToLower(s), "0x")
	id, err := strconv.ParseUint(digits, 16, 16)
	primary := id & 0x3FF // PRIMARYLANGID
	if err != nil || primary == 0 {
		return "", fmt.Errorf("language %.40q: expected a language such as de, German, 007 or 0x407: %w",
			s, winperf.ErrBadData)
	}
	if primary == primaryChinese || primary == primaryPortuguese {
		primary = id
	}
	return fmt.Sprintf("%03X", primary), nil
}
