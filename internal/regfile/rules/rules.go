package rules

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/provider"
)

// KeyFault returns why a name cannot be the name of a service key, or "".
func KeyFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case strings.TrimSpace(name) != name:
		return "has blanks around it"
	case strings.ContainsAny(name, `\/`):
		return "has a slash, which ends the name of a registry key"
	case wire.NumUnits(name) > 255:
		return "is longer than a registry key may be, 255 characters"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "has a control character"
	}
	return ""
}

// SymbolFault returns why a word cannot be the name of a C constant, or "".
func SymbolFault(word string) string {
	if word == "" {
		return "is empty"
	}
	for i, r := range word {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return fmt.Sprintf("is not the name of a C constant: it has %q", r)
		}
	}
	return ""
}

// NameFault returns the fault of a name and its help, or "".
func NameFault(t provider.Text) string {
	if t.Name == "" {
		return "has no name"
	}
	if msg := TextFault(t.Name); msg != "" {
		return "its name " + msg
	}
	if msg := TextFault(t.Help); msg != "" {
		return "its help " + msg
	}
	return ""
}

// TextFault returns why lodctr refuses a text, or "".
func TextFault(text string) string {
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		return fmt.Sprintf("has the formatting character %q", rune(text[i]))
	}
	if strings.TrimSpace(text) != text {
		return "has blanks around it, which get lost"
	}
	return ""
}

// English is the language id in which every provider should have texts.
const English = "009"

// IsLanguage reports whether a word is a language id in the form of .ini files.
func IsLanguage(word string) bool {
	if len(word) != 3 {
		return false
	}
	return strings.Trim(strings.ToLower(word), "0123456789abcdef") == ""
}

// SymbolOf converts a name to the name of a C constant.
func SymbolOf(name string) string {
	symbol := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
	if symbol != "" && symbol[0] <= '9' {
		return "_" + symbol
	}
	return symbol
}
