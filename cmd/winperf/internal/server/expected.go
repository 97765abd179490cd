package server

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf"
)

type expectedPath struct {
	key, text string
	path      winperf.Path
}

func (c *Config) expectedPaths() (list []expectedPath) {
	for i, p := range c.Paths {
		list = append(list, expectedPath{fmt.Sprintf("paths[%d]", i), "", p})
	}
	for i, name := range c.Objects {
		whole := winperf.Path{Object: name, Instance: "*", HasInstance: true, Counter: "*"}
		list = append(list, expectedPath{fmt.Sprintf("objects[%d]", i), name, whole})
	}
	for i, p := range c.Exclude {
		list = append(list, expectedPath{fmt.Sprintf("exclude[%d]", i), "", p})
	}
	for i := range c.Counters {
		for k, p := range c.Counters[i].Paths() {
			list = append(list, expectedPath{c.keyOfCounter(i, k), "", p})
		}
	}
	return list
}

// keyOfCounter returns the key of a performancecounter counter. Files have two places for it, or text
// without keys.
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

func (c *Config) keyOfObject(object int) string {
	if len(c.Counters[object].Counters) == 0 {
		return "performancecounter.objects"
	}
	key, _, _ := strings.Cut(c.keyOfCounter(object, 0), ".counters[")
	return key
}
