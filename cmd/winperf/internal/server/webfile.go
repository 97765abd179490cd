package server

import (
	"os"
	"strings"

	"github.com/winperf/winperf/internal/strictyaml"
)

// hasKey reports whether a web configuration file has values below a key. "" is no file.
func hasKey(name, key string) bool {
	text, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	for at := range strictyaml.PlacesOf(name, text) {
		if strings.HasPrefix(at, key+".") {
			return true
		}
	}
	return false
}
