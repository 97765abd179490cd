package nametable

import (
	"iter"
	"strings"
)

// languageName is a Windows language with its ISO 639-1 codes and English name ([MS-LCID]).
type languageName struct {
	id    string   // as ParseLanguage returns it
	codes []string // lower case, the usual one first
	name  string
}

var languageNames = []languageName{
	{"001", []string{"ar"}, "Arabic"},
	{"002", []string{"bg"}, "Bulgarian"},
	{"003", []string{"ca"}, "Catalan"},
	{"804", []string{"zh-cn", "zh-hans", "zh-sg", "zh"}, "Chinese"},
	{"804", []string{"zh-cn"}, "Simplified Chinese"},
	{"404", []string{"zh-tw", "zh-hant", "zh-hk"}, "Traditional Chinese"},
	{"01A", []string{"hr"}, "Croatian"},
	{"005", []string{"cs"}, "Czech"},
	{"006", []string{"da"}, "Danish"},
	{"013", []string{"nl"}, "Dutch"},
	{"009", []string{"en"}, "English"},
	{"025", []string{"et"}, "Estonian"},
	{"00B", []string{"fi"}, "Finnish"},
	{"00C", []string{"fr"}, "French"},
	{"056", []string{"gl"}, "Galician"},
	{"007", []string{"de"}, "German"},
	{"008", []string{"el"}, "Greek"},
	{"00D", []string{"he", "iw"}, "Hebrew"},
	{"039", []string{"hi"}, "Hindi"},
	{"00E", []string{"hu"}, "Hungarian"},
	{"00F", []string{"is"}, "Icelandic"},
	{"021", []string{"id"}, "Indonesian"},
	{"010", []string{"it"}, "Italian"},
	{"011", []string{"ja"}, "Japanese"},
	{"012", []string{"ko"}, "Korean"},
	{"026", []string{"lv"}, "Latvian"},
	{"027", []string{"lt"}, "Lithuanian"},
	{"014", []string{"nb", "no", "nn"}, "Norwegian"},
	{"015", []string{"pl"}, "Polish"},
	{"416", []string{"pt-br", "pt"}, "Portuguese"},
	{"816", []string{"pt-pt"}, "European Portuguese"},
	{"018", []string{"ro"}, "Romanian"},
	{"019", []string{"ru"}, "Russian"},
	{"01A", []string{"sr"}, "Serbian"},
	{"01B", []string{"sk"}, "Slovak"},
	{"024", []string{"sl"}, "Slovenian"},
	{"00A", []string{"es"}, "Spanish"},
	{"01D", []string{"sv"}, "Swedish"},
	{"01E", []string{"th"}, "Thai"},
	{"01F", []string{"tr"}, "Turkish"},
	{"022", []string{"uk"}, "Ukrainian"},
	{"02A", []string{"vi"}, "Vietnamese"},
	{"02D", []string{"eu"}, "Basque"},
}

// LanguageNames yields the usual ISO 639-1 code and the English name of each language that
// [ParseLanguage] accepts by name.
func LanguageNames() iter.Seq2[string, string] {
	return func(yield func(code, name string) bool) {
		for _, l := range languageNames {
			if !yield(l.codes[0], l.name) {
				return
			}
		}
	}
}

// languageNamed returns the id of a language by its name or code, such as German, de, de-AT
// or de_AT.UTF-8, or "".
func languageNamed(s string) string {
	s, _, _ = strings.Cut(strings.ToLower(s), ".")
	s = strings.ReplaceAll(s, "_", "-")
	primary, _, _ := strings.Cut(s, "-")
	for _, code := range []string{s, primary} {
		for _, l := range languageNames {
			if strings.EqualFold(l.name, s) {
				return l.id
			}
			for _, c := range l.codes {
				if c == code {
					return l.id
				}
			}
		}
	}
	return ""
}
