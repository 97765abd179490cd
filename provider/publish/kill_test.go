package publish

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// publisherDir is the environment variable by which a test runs this program as
// a publisher.
const publisherDir = "WINPERF_TEST_PUBLISHER"

// publisherObject is the environment variable that names its object, Peer without
// it.
const publisherObject = "WINPERF_TEST_OBJECT"

// publisherRole is the environment variable that says what such a publisher does.
const publisherRole = "WINPERF_TEST_ROLE"

// roles are what publishers that tests run do, other than wait to be killed.
var roles = map[string]func(dir string){}

func TestMain(m *testing.M) {
	if dir := os.Getenv(publisherDir); dir != "" {
		if role := roles[os.Getenv(publisherRole)]; role != nil {
			role(dir)
		}
		bePublisher(dir)
	}
	os.Exit(m.Run())
}

// bePublisher publishes an instance and stays until it is killed.
func bePublisher(dir string) {
	t := &testing.T{}
	object := cmp.Or(os.Getenv(publisherObject), "Peer")
	text := strings.ReplaceAll(fmt.Sprintf(peers, "", rawCount), `"Peer"`, fmt.Sprintf("%q", object))
	p, err := New(schema(t, text), Options{Dir: dir})
	if err == nil {
		var o *Object
		if o, err = p.Object(object); err == nil {
			_, err = o.Instance(os.Args[len(os.Args)-1], InstanceOptions{})
		}
	}
	fmt.Println("published:", err)
	for { // what was published stays though nobody has a handle of it
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// Publishers that are killed, again and again, leave no instance and no file.
func TestKill(t *testing.T) {
	dir := tempDir(t)
	start(t, dir, singles) // skips where nothing can be published
	times := 100
	if runtime.GOOS == "windows" {
		times = 10 // starting a program takes longer there
	}
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	for i := range times {
		cmd := exec.Command(os.Args[0], fmt.Sprint("kill ", i))
		cmd.Env = append(os.Environ(), publisherDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || line != "published: <nil>\n" {
			t.Errorf("publisher says %q, %v", line, err)
		}
		if i%2 == 0 { // or nobody looks while it is there
			w.expect("One 0", fmt.Sprintf("Peer(kill %d) 0", i))
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it tells that it was killed
	}
	w.expect("One 0")
	w.expect("One 0")
	if list := files(t, dir); len(list) != 1 {
		t.Errorf("files %q, want the one of the publisher that lives", list)
	}
	w.expectProblems()
}
