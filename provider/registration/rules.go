package registration

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/provider"
)

// keyFault tells why a name cannot be that of a service key, "" for nothing.
func keyFault(name string) string {
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

// symbolFault tells why a word cannot be the name of a C constant, "" for nothing.
func symbolFault(word string) string {
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

// nameFault tells what is wrong with a name and its help, "" for nothing.
func nameFault(t provider.Text) string {
	if t.Name == "" {
		return "has no name"
	}
	if msg := textFault(t.Name); msg != "" {
		return "its name " + msg
	}
	if msg := textFault(t.Help); msg != "" {
		return "its help " + msg
	}
	return ""
}

// textFault tells why lodctr cannot take a text, "" for nothing.
func textFault(text string) string {
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		return fmt.Sprintf("has the formatting character %q", rune(text[i]))
	}
	if strings.TrimSpace(text) != text {
		return "has blanks around it, which get lost"
	}
	return ""
}

// isLanguage tells whether a word is a language id as .ini files spell it.
func isLanguage(word string) bool {
	if len(word) != 3 {
		return false
	}
	return strings.Trim(strings.ToLower(word), "0123456789abcdef") == ""
}
