package browsertest

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// headings are the titles of the cards, separated by commas.
const headings = `[...document.querySelectorAll('.card:not([hidden]) h2')].map((one) => one.textContent).join()`

// press presses keys one after another. chromedp.KeyEvent types the character of a key even if the page
// handles the key, which browsers do not.
func (p *page) press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		if key < " " || key > "~" {
			p.run(chromedp.KeyEvent(key))
			continue
		}
		call(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: key})
		call(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: key})
	}
}

// equal fails if the value of an expression is another text.
func (p *page) equal(expression, want string) {
	p.t.Helper()
	if got := eval[string](p, "String("+expression+")"); got != want {
		p.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// contains fails if the value of an expression does not contain a text.
func (p *page) contains(expression, want string) {
	p.t.Helper()
	got := strings.ReplaceAll(eval[string](p, "String("+expression+")"), "\u00a0", " ")
	if !strings.Contains(got, want) {
		p.t.Errorf("%s is %q, want a part %q", expression, got, want)
	}
}

func TestFirstScreen(t *testing.T) {
	p := open(t, 1280, 800, "")
	p.equal(headings, "Processor,Memory,Disk transfer,Disk response time,Network,Top processes,Events,Changed most")
	p.equal(`document.querySelectorAll('.cards canvas:not(.spark)').length`, "5")
	p.contains(`document.querySelector('.changed').textContent`, "0 C: Avg. Disk sec/Transfer853 ms instead of 4.80 ms at 23:51:42")
	p.contains(`document.querySelector('.rows').textContent`, "backup5120")
	p.equal(`document.title`, "server.blg – winperf")
	p.check()
}

// TestToken checks that the token is used once and is not in the address.
func TestToken(t *testing.T) {
	p := open(t, 1280, 800, "view=charts")
	p.equal(`location.hash`, "#view=charts")
	p.check()
}

func TestNoCookie(t *testing.T) {
	p := blank(t, 1280, 800)
	p.run(chromedp.Navigate(p.origin + "/"))
	p.wait(`document.querySelector('.banner')?.textContent.includes('Open the address that winperf printed') ?? false`)
}

// TestHostileText checks that names and help texts are shown as text, with hidden characters escaped.
func TestHostileText(t *testing.T) {
	p := open(t, 1280, 800, "view=values&object=Process&filter=img")
	p.contains(`document.querySelector('.values-table').textContent`, "<img src=x onerror=alert(1)>")

	p.visit("view=values&object=Process&filter=exe.txt")
	p.contains(`document.querySelector('.values-table').textContent`, `gpj.\u202eexe.txt`)

	p.visit("view=values&object=System")
	p.contains(`document.querySelector('.values').textContent`, `<b>Not bold</b> \u202e.`)

	p.visit("")
	p.equal(`document.querySelectorAll('img, b, main script').length`, "0")
	const hidden = `/[\u202e\u001b]/.test(document.documentElement.outerHTML + document.title)`
	p.equal(hidden, "false")
	p.visit(`view=charts&search=system&path=\Process(*)\%25 Processor Time&path=\Process(gpj*)\Working Set`)
	eval[any](p, `document.querySelectorAll('.plot')[1].focus()`)
	p.press(kb.Home)
	p.contains(`document.querySelectorAll('.plot-frame [role=status]')[1].textContent`, `gpj.\u202eexe.txt`)
	p.equal(hidden, "false")
	p.visit("view=values&object=Process")
	p.equal(hidden, "false")
	p.check()
}

// drag drags the mouse in the first chart, from and to a part of its width.
func (p *page) drag(from, to float64, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	box := eval[[]float64](p, `(() => { const box = document.querySelector('.u-over').getBoundingClientRect();
		return [box.left, box.top + box.height / 2, box.width]; })()`)
	x := func(part float64) float64 { return box[0] + part*box[2] }
	pressed := []chromedp.MouseOption{chromedp.ButtonLeft, chromedp.ButtonModifiers(modifiers...)}
	p.run(
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x(from), box[1]),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x(from), box[1], append(pressed, chromedp.ClickCount(1))...),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x((from+to)/2), box[1], pressed...),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x(to), box[1], pressed...),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x(to), box[1], append(pressed, chromedp.ClickCount(1))...),
	)
}

// times returns the texts of the visible range.
func (p *page) times() string {
	p.t.Helper()
	return eval[string](p, `[...document.querySelectorAll('.edges input')].map((one) => one.value.slice(11, 16)).join('-')`)
}

func TestZoomAndPan(t *testing.T) {
	p := open(t, 1280, 800, `view=charts&path=\Processor(*)\%25 Processor Time`)
	p.wait(`document.querySelector('.u-over') !== null`)
	if got := p.times(); got != "23:20-00:15" {
		t.Fatalf("the range is %s", got)
	}

	// A click marks a time, and another click removes the mark.
	p.run(chromedp.MouseClickXY(800, 330))
	p.wait(`location.hash.includes('mark=2024-01-17T22:4')`)
	p.run(chromedp.MouseClickXY(800, 330))
	p.wait(`!location.hash.includes('mark=')`)

	p.drag(0.2, 0.4)
	p.wait(`location.hash.includes('begin=')`)
	if got := p.times(); got != "23:31-23:42" && got != "23:30-23:41" {
		t.Errorf("after the zoom the range is %s", got)
	}
	zoomed := p.times()

	p.drag(0.6, 0.1, chromedp.ModifierShift)
	p.wait(`document.querySelector('.edges input').value.slice(11, 16) >= '23:36'`)
	p.run(chromedp.NavigateBack())
	p.wait(`document.querySelector('.edges input').value.slice(11, 16) === '` + zoomed[:5] + `'`)
	p.run(chromedp.NavigateBack())
	p.wait(`document.querySelector('.edges input').value.slice(11, 16) === '23:20'`)
	p.check()
}

// TestLink opens an address twice: the page shows the state, and makes the same address of it.
func TestLink(t *testing.T) {
	const link = `view=charts&zone=utc&theme=dark&begin=2024-01-17T22:30:00Z&end=2024-01-17T22:40:00Z&mark=2024-01-17T22:32:00Z&scale=log` +
		`&path=5:\Process(*)\%25+Processor+Time&path=\Memory\Available+MBytes&hide=\memory\available+mbytes`
	p := open(t, 1280, 800, link)
	if got := p.times(); got != "22:30-22:40" {
		t.Errorf("the range is %s", got)
	}
	p.equal(`document.documentElement.dataset.theme`, "dark")
	p.equal(`[...document.querySelectorAll('.path-input')].map((one) => one.value).join()`, `\Process(*)\% Processor Time,\Memory\Available MBytes`)
	p.equal(`[...document.querySelectorAll('.panels h2')].map((one) => one.textContent).join()`, "Percent,Bytes")
	p.equal(`document.querySelectorAll('.statistics tbody tr').length`, "6")
	p.equal(`document.querySelectorAll('.statistics input:not(:checked)').length`, "1")
	p.equal(`document.querySelector('.chart-tools input').checked`, "true")

	// A key that changes the state and one that restores it: the address is complete.
	before := eval[string](p, `location.hash`)
	p.press("z", "z", "z")
	p.equal(`location.hash`, before)
	p.run(chromedp.Reload())
	p.wait(settled)
	p.equal(`document.querySelectorAll('.statistics tbody tr').length`, "6")
	p.equal(`location.hash`, before)
	p.check()
}

// TestKeyboard uses only keys.
func TestKeyboard(t *testing.T) {
	p := open(t, 1280, 800, "")
	p.press("/")
	p.wait(`document.activeElement.id === 'counter-search'`)
	p.run(chromedp.KeyEvent("disk bytes"))
	p.press(kb.ArrowDown)
	p.wait(`document.activeElement.getAttribute('role') === 'treeitem'`)
	p.press(kb.ArrowDown, kb.Enter)
	p.wait(`document.querySelector('.path-input')?.value === '\\PhysicalDisk(*)\\Disk Bytes/sec'`)
	p.equal(`document.activeElement.getAttribute('aria-checked')`, "true")
	p.contains(`document.querySelector('.details').textContent`, "Bytes read and written.")
	p.wait(settled)

	// The chart is reachable with the Tab key; its cursor moves, and two spaces zoom.
	for range 40 {
		if eval[bool](p, `document.activeElement.classList.contains('plot')`) {
			break
		}
		if eval[bool](p, `getComputedStyle(document.activeElement).outlineStyle === 'none' && !document.activeElement.matches('[role=treeitem], body')`) {
			t.Errorf("no visible focus on %s", eval[string](p, `document.activeElement.outerHTML.slice(0, 200)`))
		}
		p.press(kb.Tab)
	}
	p.press(kb.Home)
	p.contains(`document.querySelector('.plot-frame [role=status]').textContent`, "2024-01-17 23:20:00. _Total 1.")
	p.press(" ", kb.ArrowRight, kb.ArrowRight, kb.ArrowRight, kb.Enter, " ")
	p.wait(`location.hash.includes('begin=') && location.hash.includes('mark=')`)
	p.press("?")
	p.wait(`document.querySelector('dialog').open`)
	p.press(kb.Escape)
	p.wait(`!document.querySelector('dialog').open`)

	p.press("0", "3")
	p.wait(`document.querySelector('[role=grid]') !== null`)
	eval[any](p, `document.querySelector('[role=grid] [tabindex="0"]').focus()`)
	p.press(kb.ArrowDown, kb.ArrowDown, kb.ArrowRight)
	p.equal(`document.activeElement.dataset.y + document.activeElement.dataset.x`, "21")
	p.press(kb.Enter)
	p.wait(`[...document.querySelectorAll('.path-input')].some((one) => one.value === '\\Process(sqlservr)\\% Processor Time')`)
	p.check()
}

// TestSort sorts the table of values.
func TestSort(t *testing.T) {
	p := open(t, 1280, 800, "view=values&object=Process&sort=name&filter=w3wp")
	const names = `[...document.querySelectorAll('.values-table tbody th')].map((one) => one.textContent).join()`
	p.equal(names, "w3wp,w3wp#1")
	p.run(chromedp.Click(chromedp.Search(`//button[contains(., 'Instance')]`)))
	p.wait(names + ` === 'w3wp#1,w3wp'`)
	p.contains(`location.hash`, "sort=-name")
	p.equal(`document.querySelector('[aria-sort]').getAttribute('aria-sort')`, "descending")
	p.check()
}

// TestLive follows a live source: the range moves, and the table has new values.
func TestLive(t *testing.T) {
	t.Parallel() // it waits most of the time
	p := open(t, 1280, 800, "source=3&follow=60")
	end := eval[string](p, `document.querySelectorAll('.edges input')[1].value`)
	p.wait(`document.querySelectorAll('.edges input')[1].value > '` + end + `'`)

	p.press("3")
	p.wait(`document.querySelector('.values .note[role=status]')?.textContent.startsWith('Values of') ?? false`)
	first := eval[string](p, `document.querySelector('.values .note[role=status]').textContent`)
	p.wait(`document.querySelector('.values .note[role=status]').textContent > '` + first + `'`)

	p.press("f")
	p.wait(`location.hash.includes('follow=0')`)
	p.check()
}

// TestOffline checks that the page reports a server that does not answer, and continues when it does.
func TestOffline(t *testing.T) {
	t.Parallel() // it waits most of the time
	p := open(t, 1280, 800, "source=3")
	offline := func(off bool) {
		conditions := &network.Conditions{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}
		call(p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{conditions},
		})
	}
	offline(true)
	p.wait(`!document.querySelector('.banner').hidden && document.querySelector('.banner').textContent.includes('does not answer')`)
	offline(false)
	p.wait(`document.querySelector('.banner').hidden`)
}

// TestCompare compares two logs: both begin at zero, and the table has their difference.
func TestCompare(t *testing.T) {
	p := open(t, 1280, 800, `view=charts&path=\Process(backup)\%25 Processor Time`)
	p.press("c")
	p.wait(`document.querySelectorAll('.statistics thead th').length === 9`)
	p.wait(settled)
	p.equal(`document.querySelectorAll('.statistics tbody tr').length`, "1")
	p.contains(`document.querySelector('.statistics tbody tr').textContent`, "×")
	p.contains(`document.querySelector('.compare').textContent`, "yesterday.blg")
	p.press("c")
	p.wait(`document.querySelectorAll('.statistics thead th').length === 7`)
	p.check()
}

// TestExports reads the files that the page saves.
func TestExports(t *testing.T) {
	p := open(t, 1280, 800, `view=charts&path=\Memory\Committed Bytes&begin=2024-01-17T22:30:00Z&end=2024-01-17T22:31:00Z`)
	eval[any](p, `window.saved = []; const create = URL.createObjectURL; URL.createObjectURL = (blob) => { saved.push(blob); return create(blob); }; 0`)
	p.press("e")
	p.wait(`saved.length === 1`)
	text := eval[string](p, `saved[0].text()`)
	if want := "time (UTC),\\Memory\\Committed Bytes\r\n2024-01-17T22:30:00.000Z,"; !strings.HasPrefix(text, want) {
		t.Errorf("the CSV file begins with %.200q, want %q", text, want)
	}
	if got := strings.Count(text, "\r\n"); got != 62 {
		t.Errorf("the CSV file has %d lines, want a header and 61 samples", got)
	}

	p.press("p")
	p.wait(`saved.length === 2`)
	p.equal(`saved[1].type`, "image/png")
	size := eval[[]int](p, `createImageBitmap(saved[1]).then((picture) => [picture.width, picture.height])`)
	if size[0] < 800 || size[1] < 250 {
		t.Errorf("the picture has %d × %d pixels", size[0], size[1])
	}
	p.check()
}

// TestGap looks at the pixels of a chart: there is a line before and after a pause in the samples, and
// none in it.
func TestGap(t *testing.T) {
	p := open(t, 1280, 800, `view=charts&theme=light&path=\Memory\Committed Bytes&begin=2024-01-17T22:58:00Z&end=2024-01-17T23:04:00Z`)
	p.equal(`(() => {
		const canvas = document.querySelector('.plot canvas'), over = document.querySelector('.u-over');
		const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, over.clientHeight);
		const blue = (place) => {
			const x = Math.round(over.offsetLeft + over.clientWidth * place);
			for (let i = 4 * x; i < data.length; i += 4 * canvas.width) if (data[i + 2] > 150 && data[i] < 120) return true;
			return false;
		};
		return [0.1, 0.3, 0.45, 0.6, 0.8].map(blue).join();
	})()`, "true,true,false,false,true")
	p.check()
}

// TestNarrow checks that nothing is wider than a window of 360 pixels.
func TestNarrow(t *testing.T) {
	t.Parallel()
	p := open(t, 360, 740, "")
	for _, fragment := range []string{"", exampleCharts, exampleCharts + "&with=1", "view=values", "view=values&object=Memory", "source=3", "view=charts"} {
		p.visit(fragment)
		time.Sleep(100 * time.Millisecond) // a frame with the final layout
		p.equal(`document.documentElement.scrollWidth`, "360")
		p.equal(`[...document.querySelectorAll('button, select, input, summary')].filter((one) => one.offsetParent && !one.closest('.scroll')
			&& (one.getBoundingClientRect().right > 360 || one.getBoundingClientRect().left < 0)).map((one) => one.outerHTML).join()`, "")
	}
	p.check()
}

// touch puts fingers on the first chart and moves them, from and to parts of its size.
func (p *page) touch(from, to [][2]float64) {
	p.t.Helper()
	box := eval[[]float64](p, `(() => { const over = document.querySelector('.u-over'); over.scrollIntoView({block: 'center'});
		const box = over.getBoundingClientRect(); return [box.left, box.top, box.width, box.height]; })()`)
	send := func(kind input.DispatchTouchEventType, part float64) {
		var points []*input.TouchPoint
		for i := range from {
			id := float64(i)
			x, y := from[i][0]+(to[i][0]-from[i][0])*part, from[i][1]+(to[i][1]-from[i][1])*part
			points = append(points, &input.TouchPoint{X: box[0] + x*box[2], Y: box[1] + y*box[3], ID: &id})
		}
		if kind == input.DispatchTouchEventTypeTouchEnd {
			points = nil
		}
		call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	send(input.DispatchTouchEventTypeTouchStart, 0)
	for part := range 10 {
		send(input.DispatchTouchEventTypeTouchMove, float64(part+1)/10)
	}
	send(input.DispatchTouchEventTypeTouchEnd, 1)
}

// TestTouch moves the range with one finger and zooms with two; a vertical move scrolls the page.
func TestTouch(t *testing.T) {
	p := open(t, 360, 740, `view=charts&path=\Memory\Committed Bytes&begin=2024-01-17T22:40:00Z&end=2024-01-17T22:50:00Z`)
	p.wait(`document.querySelector('.u-over') !== null`)
	p.touch([][2]float64{{0.3, 0.5}}, [][2]float64{{0.8, 0.5}})
	p.wait(`!location.hash.includes('begin=2024-01-17T22:40:00Z')`)
	if got := p.times(); got != "23:35-23:45" && got != "23:34-23:44" {
		t.Errorf("after a move by half of the chart the range is %s", got)
	}

	moved := eval[string](p, `location.hash`)
	p.touch([][2]float64{{0.4, 0.5}, {0.6, 0.5}}, [][2]float64{{0.3, 0.5}, {0.7, 0.5}})
	p.wait(`location.hash !== '` + moved + `'`)
	if got := p.times(); got != "23:37-23:42" && got != "23:37-23:43" {
		t.Errorf("after two fingers moved apart the range is %s", got)
	}

	zoomed := eval[string](p, `location.hash`)
	p.wait(settled)
	p.equal(`scrollY > 0`, "true")
	p.touch([][2]float64{{0.5, 0.1}}, [][2]float64{{0.5, 0.9}})
	p.wait(`scrollY === 0`)
	p.equal(`location.hash`, zoomed)
	p.check()
}

// TestMenus opens menus with the keyboard; Escape and a click elsewhere close them.
func TestMenus(t *testing.T) {
	p := open(t, 1280, 800, "view=values")
	for _, menu := range []string{".menu", ".columns"} {
		eval[any](p, `document.querySelector('`+menu+` summary').focus()`)
		p.press(kb.Enter)
		p.wait(`document.querySelector('` + menu + `').open`)
		p.press(kb.Tab, kb.Escape)
		p.wait(`!document.querySelector('` + menu + `').open && document.activeElement.matches('` + menu + ` summary')`)
		p.press(kb.Enter)
		p.wait(`document.querySelector('` + menu + `').open`)
		p.run(chromedp.MouseClickXY(640, 790))
		p.wait(`!document.querySelector('` + menu + `').open`)
	}
	p.check()
}

// TestTimeline drags the visible range in the timeline, and moves it by the keys and buttons.
func TestTimeline(t *testing.T) {
	p := open(t, 1280, 800, `view=values&begin=2024-01-17T22:30:00Z&end=2024-01-17T22:40:00Z`)
	box := eval[[]float64](p, `(() => { const box = document.querySelector('.timeline').getBoundingClientRect(); return [box.left, box.top + 6, box.width]; })()`)
	p.run(chromedp.MouseClickXY(box[0]+box[2]/2, box[1]))
	p.wait(`location.hash.includes('begin=2024-01-17T22:42:')`)
	if got := p.times(); got != "23:42-23:52" {
		t.Errorf("after a click in the middle the range is %s", got)
	}
	eval[any](p, `document.querySelector('.timeline').focus()`)
	p.press(kb.ArrowLeft)
	if got := p.times(); got != "23:40-23:50" && got != "23:39-23:49" {
		t.Errorf("after a quarter the range is %s", got)
	}
	p.run(chromedp.Click(chromedp.Search(`//button[@title='Later (→)']`)))
	if got := p.times(); got != "23:45-23:55" && got != "23:44-23:54" {
		t.Errorf("after a half the range is %s", got)
	}
	p.check()
}
