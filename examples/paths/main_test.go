package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	err := run(`\Thread(editor/*)\% *time`, []string{
		`\Thread(editor/4711)\% User Time`,
		`\THREAD(Editor/1)\% processor time`,
		`\Thread(shell/1)\% User Time`,
		`\Thread(editor/1)\ID Thread`,
		`\Thread\% User Time`,
	}, &out)
	if err != nil {
		t.Fatal(err)
	}

	want := `machine   
object    Thread
parent    editor
instance  *
counter   % *time
yes \Thread(editor/4711)\% User Time
yes \THREAD(Editor/1)\% processor time
no  \Thread(shell/1)\% User Time
no  \Thread(editor/1)\ID Thread
no  \Thread\% User Time
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}

	if err := run(`Thread`, nil, &out); err == nil {
		t.Error("a text that is no path was taken")
	}
}
