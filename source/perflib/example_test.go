package perflib_test

import (
	"fmt"
	"log"

	"github.com/winperf/winperf/counterset"
	"github.com/winperf/winperf/source/perflib"
)

func ExampleConsumer() {
	c, err := perflib.NewConsumer("", "")
	if err != nil {
		log.Fatal(err) // on other systems than Windows it is winperf.ErrNotSupported
	}
	sets, err := c.Sets()
	if err != nil {
		log.Fatal(err)
	}
	for _, set := range sets {
		name, err := c.Text(set, counterset.RegEnglishName, 0)
		if err != nil {
			log.Print(err) // one set that cannot be read does not keep the others from it
			continue
		}
		instances, _ := c.Instances(set) // an error says mostly that its provider does not run
		fmt.Println(set, name, instances)
	}
}
