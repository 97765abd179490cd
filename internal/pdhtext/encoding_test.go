package pdhtext

import (
	"bytes"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
)

// Heads as machines of several languages have them: names of objects and
// counters and of time zones.
var localHeads = map[uint32][]string{
	1252: {
		`"(PDH-CSV 4.0) (Mitteleuropäische Zeit)(-60)","\\H\Arbeitsspeicher\Verfügbare Bytes","\\H\Physikalischer Datenträger(_Total)\Bytes gelesen/s"`,
		`"(PDH-CSV 4.0) (Paris, Madrid)(-60)","\\H\Mémoire\Octets validés","\\H\Processus(_Total)\Temps utilisateur écoulé"`,
		`"(PDH-CSV 4.0) (Hora estándar romance)(-60)","\\H\Sistema\Llamadas al sistema/s","\\H\Memoria\Bytes de caché"`,
		`"(PDH-CSV 4.0) (X)(0)","\\H\Memória\Páginas/s","\\H\Disco físico(_Total)\Comprimento médio da fila","\\H\Sessões\Ações"`,
		`"(PDH-CSV 4.0) (X)(0)","\\H\Minne\Tillgängliga byte","\\H\Tråd(_Total)\Väntetid på kö"`,
	},
	1250: {
		`"(PDH-CSV 4.0) (Środkowoeuropejski czas stand.)(-60)","\\H\Pamięć\Dostępne bajty","\\H\Dysk fizyczny(_Total)\Średnia długość kolejki","\\H\Wątek\Stan wątku"`,
		`"(PDH-CSV 4.0) (Střední Evropa (běžný čas))(-60)","\\H\Paměť\Počet bajtů k dispozici","\\H\Fyzický disk(_Total)\Průměrná délka fronty"`,
	},
	1251: {
		`"(PDH-CSV 4.0) (RTZ 2 (","\\H\Процессор(_Total)\% загруженности процессора","\\H\Память\Доступно МБ"`,
		`"(PDH-CSV 4.0) (RTZ 2 (","\\H\Система\Длина очереди процессора"`,
		`"(PDH-CSV 4.0) (RTZ 2 (зима))(-180)","\\H\Memory\Available MBytes"`,
	},
	1253: {`"(PDH-CSV 4.0) (X)(0)","\\H\Μνήμη\Διαθέσιμα Byte","\\H\Επεξεργαστής(_Total)\% Χρόνος επεξεργαστή"`},
	1254: {`"(PDH-CSV 4.0) (Türkiye Standart Saati)(-180)","\\H\İşlemci(_Total)\% İşlemci Zamanı","\\H\Bellek\Kullanılabilir Bayt","\\H\Ağ Arabirimi(_Total)\Geçerli Bant Genişliği"`},
	932:  {`"(PDH-CSV 4.0) (東京 (標準時))(-540)","\\H\Processor(_Total)\% Processor Time","\\H\メモリ\使用可能バイト数","\\H\プロセス(_Total)\スレッド数"`},
	936:  {`"(PDH-CSV 4.0) (中国标准时间)(-480)","\\H\内存\可用字节数","\\H\处理器(_Total)\处理器时间"`},
	949:  {`"(PDH-CSV 4.0) (대한민국 표준시)(-540)","\\H\메모리\사용 가능한 바이트","\\H\프로세서(_Total)\프로세서 시간"`},
	950:  {`"(PDH-CSV 4.0) (台北標準時間)(-480)","\\H\記憶體\可用位元組","\\H\處理器(_Total)\處理器時間"`},
}

func TestCodePageGuess(t *testing.T) {
	for codePage, heads := range localHeads {
		for _, head := range heads {
			b, err := wire.EncodeText(head, codePage)
			if err != nil {
				t.Fatal(err)
			}
			b = bytes.TrimSuffix(b, []byte{0})
			r, err := NewReader(bytes.NewReader(b), ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if h := r.Head(); h.CodePage != codePage || !h.Guessed {
				t.Errorf("code page %d guessed as %d: %s", codePage, h.CodePage, head)
			}
			r, err = NewReader(strings.NewReader(head), ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if h := r.Head(); h.CodePage != wire.UTF8 || h.Guessed {
				t.Errorf("UTF-8 taken for %d: %s", h.CodePage, head)
			}
		}
	}
}

// A second byte of a double-byte character may be a backslash, which is none.
func TestDoubleBytes(t *testing.T) {
	b, err := wire.EncodeText(`"(PDH-CSV 4.0) (X)(0)","\\H\表示(ソ)\能"`+"\n"+`"01/02/2026 00:00:00.000","十"`, 932)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(b[:len(b)-1]), ReadOptions{CodePage: 932})
	if err != nil {
		t.Fatal(err)
	}
	var row Row
	if err := r.Next(&row); err != nil {
		t.Fatal(err)
	}
	if len(row.readings()) != 1 || row.readings()[0].Series.String() != `\\H\表示(ソ)\能` || row.readings()[0].Value != counter.Text("十") {
		t.Errorf("%v, damage %v", row.readings(), r.Damage())
	}
}
