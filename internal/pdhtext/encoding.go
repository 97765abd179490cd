package pdhtext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/wire"
)

// alphabets are the ANSI code pages of Windows with the most frequent letters outside ASCII
// of their languages, in order of preference.
var alphabets = []struct {
	codePage uint32
	letters  string
	latin    bool // the letters appear between ASCII letters
}{
	{1252, "äöüßéèêàâçñíóúáãõôîåæøÄÖÜÉ", true},
	{1251, "оеаинтсрвлкмдпуязыйцчіїПСДИКОЧВ", false},
	{1250, "ěščřžýáíéůúłąęśćńóżźăâîșțőűöüäČŘŠŽŁŚ", true},
	{1254, "ışğçöüİŞĞÇÖÜ", true},
	{1253, "αοιετσνηυρπκλμίόάέήώΣΠΕΧΜΔ", false},
	{1255, "יוהלאתרבמשנדעםחקן", false},
	{1256, "المنيوترةبسدعفحقك", false},
	{1257, "āēīšķļņžģčųėęąįõäöüŠŽ", true},
	{1258, "đơưăâêôĐ", true},
	{874, "านรอกเงมยลวดทสตะปบคแพจ", false},
	{932, "のプロセッサメモリスク時間数使用率ーィ", false},
	{936, "的处理器时间内存系统数使用率字节磁盘网络", false},
	{949, "프로세서시간메모리사용률수바이트디스크", false},
	{950, "的處理器時間記憶體系統數使用率位元組磁碟網路", false},
}

// KnownCodePage reports whether a Reader supports a code page.
func KnownCodePage(codePage uint32) bool { return codePage != 0 && wire.KnownCodePage(codePage) }

// detectCodePage returns the code page of a log by its head. given is the code page of the
// byte order mark or the caller, 0 for none.
func detectCodePage(head []byte, given uint32) (codePage uint32, guessed bool) {
	if given != 0 {
		return given, false
	}
	if utf8.Valid(head) {
		return wire.UTF8, false
	}

	const enough = 64 << 10
	head = head[:min(len(head), enough)]
	best, most := alphabets[0].codePage, 0
	for _, a := range alphabets {
		points := rate(wire.Text(head, a.codePage), a.letters, a.latin)
		if a.codePage > 900 && a.codePage < 1000 {
			points *= 2 // two bytes a letter
		}
		if points > most {
			best, most = a.codePage, points
		}
	}
	return best, true
}

// rate returns how well text fits an alphabet: points for its letters, fewer for other
// letters, and a deduction for unlikely text: half a character, a small letter before a
// capital, or in Latin script several letters in a row that are not ASCII.
func rate(text, letters string, latin bool) int {
	points := 0
	var before rune
	for _, r := range text {
		high := r >= utf8.RuneSelf
		highBefore := before >= utf8.RuneSelf

		switch {
		case !high:
			if !latin && highBefore && unicode.IsLower(r) {
				points -= 2
			}
		case r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsMark(r):
			points -= 4
		case latin && highBefore:
			points -= 2
		case unicode.IsUpper(r) && unicode.IsLower(before):
			points -= 2
		case strings.ContainsRune(letters, r):
			points += 3
		default:
			points++
		}

		before = r
	}
	return points
}
