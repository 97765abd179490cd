package server

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf"
)

// asked is a path of the configuration that should match something, and its place there.
type asked struct {
	key, text string
	path      winperf.Path
}

// asked are all paths that should match something.
func (c *Config) asked() (list []asked) {
	for i, p := range c.Paths {
		list = append(list, asked{fmt.Sprintf("paths[%d]", i), "", p})
	}
	for i, name := range c.Objects {
		whole := winperf.Path{Object: name, Instance: "*", HasInstance: true, Counter: "*"}
		list = append(list, asked{fmt.Sprintf("objects[%d]", i), name, whole})
	}
	for i, p := range c.Exclude {
		list = append(list, asked{fmt.Sprintf("exclude[%d]", i), "", p})
	}
	for i := range c.Counters {
		for k, p := range c.Counters[i].Paths() {
			list = append(list, asked{c.keyOfCounter(i, k), "", p})
		}
	}
	return list
}

// keyOfCounter is the key of a counter of performancecounter. Files have those at one of two places,
// or as text, inside which there are no keys.
func (c *Config) keyOfCounter(object, k int) string {
	const own, exporters = "performancecounter.objects", "collector.performancecounter.objects"
	name := c.Counters[object].Counters[k].Name
	for _, list := range []string{own, exporters} {
		key := fmt.Sprintf("%s[%d].counters[%d].name", list, object, k)
		if _, there := c.places[key]; there && c.places[key].Text == name {
			return key
		}
	}
	if _, there := c.places[own]; there {
		return own
	}
	return exporters
}

// keyOfObject is the key of an object of performancecounter.
func (c *Config) keyOfObject(object int) string {
	if len(c.Counters[object].Counters) == 0 {
		return "performancecounter.objects"
	}
	key, _, _ := strings.Cut(c.keyOfCounter(object, 0), ".counters[")
	return key
}
