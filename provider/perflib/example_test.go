package perflib_test

import (
	"fmt"
	"os"

	"github.com/winperf/winperf/provider/perflib"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// The provider has to be registered: winperf provider install myapp.man. A program
// calls Start; StartOn is for this example only, so that it runs on any system.
func ExampleStart() {
	s, err := registration.ParseDeclaration("schema.json", []byte(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "published")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }() // on Windows what is still mapped stays
	p, err := publish.New(s, publish.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()

	system := &library{} // stands in for advapi32.dll
	v, err := perflib.StartOn(system, s, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"a", "b"} {
		peer, err := p.Object("Peer")
		if err != nil {
			fmt.Println(err)
			return
		}
		values, err := peer.Instance(name, publish.InstanceOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		if _, err := v.Instance("Peer", name, values); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(len(system.instances), "instances")
	fmt.Println(v.Close(), len(system.instances))
	// Output:
	// 3 instances
	// <nil> 0
}
