package browsertest

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// row is the text of a row of the statistics, without the value at the cursor.
const row = `((instance) => [...([...document.querySelectorAll('.statistics tbody tr')].find((one) => one.cells[1].textContent === instance)
	?.cells ?? [])].filter((_, i) => i !== 2).map((cell) => cell.textContent).join(' '))`

// TestCompareLogs compares two logs, which begin at different times. The values belong to the right log and
// instance, agree with winperf summary, and stay aligned at the starts of the logs after a zoom.
func TestCompareLogs(t *testing.T) {
	t.Parallel()
	const a, b = `\Process(a)\% Processor Time`, `\Process(b)\% Processor Time`
	before := writeLog(t, "before.csv", 61, time.Second, func(i int) map[string]float64 {
		return map[string]float64{a: 10 + float64(i), b: 20 + 2*float64(i)}
	})
	start := begin
	begin = begin.Add(time.Hour)
	after := writeLog(t, "after.csv", 61, time.Second, func(i int) map[string]float64 {
		return map[string]float64{a: 30 + float64(i), b: 5}
	})
	begin = start

	p := openAt(t, serve(t, before, after), 1280, 800, `source=1&view=charts&path=\Process(*)\%25 Processor Time`)
	p.press("c")
	// compared waits until the averages in a comparison are these.
	compared := func(rows ...string) {
		t.Helper()
		for i, instance := range []string{"a", "b"} {
			p.waitText(row+`('`+instance+`')`, rows[i])
		}
	}
	compared("% Processor Time a 90 % 60 % 30 % 90 % 40 % +50.0 %", "% Processor Time b 5 % 5 % 5 % 5 % 80 % −93.8 %")
	p.contains(`document.querySelector('.statistics thead').innerText.replace(/\s+/g, ' ')`, "Average, after.csv Minimum Maximum Average, before.csv Difference")
	p.contains(`document.querySelector('.compare').innerText`, "Solid: after.csv; dashed: before.csv; aligned at the start")

	// The last third of both logs, selected with the keyboard.
	eval[any](p, `document.querySelector('.plot').focus()`)
	p.press(kb.End, " ", kb.Home)
	for range 40 {
		p.press(kb.ArrowRight)
	}
	p.press(" ")
	p.wait(`location.hash.includes('begin=2026-03-02T10:00:40Z&end=2026-03-02T10:01:00Z')`)
	p.equal(`document.querySelector('[aria-label="Begin of the compared range"]').value`, "2026-03-02 09:00:40")
	compared("% Processor Time a 90 % 80 % 70 % 90 % 60 % +33.3 %", "% Processor Time b 5 % 5 % 5 % 5 % 120 % −95.8 %")
	for _, log := range []struct{ file, hour, averages string }{{before, "09", "60 120"}, {after, "10", "80 5"}} {
		got := averages(t, log.file, "2026-03-02T"+log.hour+":00:40Z", "2026-03-02T"+log.hour+":01:00Z")
		if got != log.averages {
			t.Errorf("winperf summary of %s has the averages %s, want %s", log.file, got, log.averages)
		}
	}

	// The other log becomes the visible one, and this one is compared.
	eval[any](p, `(() => { const source = document.querySelector('select.source'); source.value = '0';
		source.dispatchEvent(new Event('change')); })()`)
	compared("% Processor Time a 70 % 40 % 10 % 70 % 60 % −33.3 %", "% Processor Time b 140 % 80 % 20 % 140 % 5 % ×16")
	p.drag(0.5, 0.75)
	p.wait(`location.hash.includes('begin=2026-03-02T09:00:')`)
	p.check()
}

// TestCompareRanges compares two ranges of one log: at first its halves.
func TestCompareRanges(t *testing.T) {
	log := writeLog(t, "log.csv", 61, time.Second, func(i int) map[string]float64 {
		return map[string]float64{`\Memory\Pages/sec`: float64(i)}
	})
	p := openAt(t, serve(t, log), 1280, 800, `view=charts&path=\Memory\Pages/sec`)
	p.press("c")
	p.waitText(row+`('Memory')`, "Pages/sec Memory 60/s 45/s 30/s 60/s 15/s +200.0 %")
	p.contains(`document.querySelector('.compare').innerText`, "Solid: this range; dashed: the compared range")

	// The compared range moves with the visible one, after the user has chosen its begin.
	eval[any](p, `(() => { const other = document.querySelector('[aria-label="Begin of the compared range"]');
		other.value = '09:00:20'; other.dispatchEvent(new Event('change')); })()`)
	p.waitText(row+`('Memory')`, "Pages/sec Memory 60/s 45/s 30/s 60/s 35/s +28.6 %")
	p.visit(eval[string](p, `location.hash.slice(1)`))
	p.press(kb.ArrowLeft)
	p.waitText(row+`('Memory')`, "Pages/sec Memory 45/s 30/s 15/s 45/s 20/s +50.0 %")
	p.check()
}

// averages returns the column AVERAGE of winperf summary.
func averages(t *testing.T, log, begin, end string) string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(winperf(t, "summary", log, "--begin", begin, "--end", end, "-o", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, record := range records[1:] {
		for i, name := range records[0] {
			if strings.EqualFold(name, "average") {
				all = append(all, record[i])
			}
		}
	}
	return fmt.Sprint(strings.Join(all, " "))
}

// TestCostly draws a costly object of this machine: the list has it, and it is measured while the chart shows
// it.
func TestCostly(t *testing.T) {
	t.Parallel()
	p := openAt(t, serve(t), 1280, 800, `view=charts&path=5:\Process Memory Details(*)\Private Dirty Bytes`)
	p.wait(`document.querySelectorAll('.statistics tbody tr').length === 5`)
	p.wait(`document.querySelector('[data-object="Process Memory Details"]') !== null`)
	eval[any](p, `document.querySelector('[data-object="Process Memory Details"]').focus()`)
	p.contains(`document.querySelector('.details').textContent`, "It is measured only while a chart or table shows it.")
	p.check()
}
