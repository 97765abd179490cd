package server

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/sink/metrics"
)

// exporterCollectors are the collectors of windows_exporter 0.31.
var exporterCollectors = []string{
	"ad", "adcs", "adfs", "cache", "container", "cpu", "cpu_info", "dfsr", "dhcp", "diskdrive", "dns",
	"exchange", "file", "fsrmquota", "gpu", "hyperv", "iis", "license", "logical_disk", "memory", "mscluster",
	"msmq", "mssql", "net", "netframework", "nps", "os", "pagefile", "performancecounter", "physical_disk",
	"printer", "process", "remote_fx", "scheduled_task", "service", "smb", "smbclient", "smtp", "system",
	"tcp", "terminal_services", "textfile", "thermalzone", "time", "udp", "update", "vmware",
}

// ParseCollectors parses the names of windows_exporter's collectors, separated by commas. [defaults] are its
// default collectors.
func ParseCollectors(text string) (names []string, err error) {
	text = strings.ReplaceAll(text, "[defaults]", strings.Join(serve.DefaultCollectors, ","))
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(exporterCollectors, name) {
			return nil, fmt.Errorf("unknown collector %q%s", name, didYouMean(name, exporterCollectors))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// The reasons why options of collectors have no effect.
const (
	noMetrics = "winperf has no metrics of this collector"
	allParts  = "winperf always provides all parts of this collector that have counters"
)

// labelOptions are the labels that the options NAME-include and NAME-exclude filter.
var labelOptions = map[string]string{
	"iis.site": "site", "iis.app": "app", "logical_disk.volume": "volume", "net.nic": "nic",
	"physical_disk.disk": "disk", "process.": "process", "service.": "name", "smtp.server": "site",
}

// otherOptions are the other options of collectors, and why they have no effect.
var otherOptions = map[string]string{
	"container.enabled": noMetrics, "container.containerd-state-dir": noMetrics,
	"dfsr.sources-enabled": allParts, "dhcp.enabled": allParts, "dns.enabled": allParts,
	"exchange.enabled": allParts, "file.file-patterns": noMetrics, "hyperv.enabled": allParts,
	"logical_disk.enabled": allParts, "mscluster.enabled": noMetrics, "mssql.enabled": allParts,
	"net.enabled": allParts, "netframework.enabled": allParts,
	"printer.include": noMetrics, "printer.exclude": noMetrics,
	"process.iis":             "the label process contains only the name of the process",
	"process.counter-version": "winperf reads Process V2 if it exists, otherwise Process",
	"scheduled_task.include":  noMetrics, "scheduled_task.exclude": noMetrics,
	"service.start-mode-include": "winperf does not read start modes of services",
	"tcp.enabled":                allParts, "textfile.directories": noMetrics, "time.enabled": allParts,
	"update.online": noMetrics, "update.scrape-interval": noMetrics, "update.scrape_interval": noMetrics,
}

// commandLines is the option that adds command lines of processes.
const commandLines = "process.cmdline"

// CollectorOptions returns the options of windows_exporter's collectors, such as net.nic-include, sorted.
func CollectorOptions() []string {
	list := append(slices.Collect(maps.Keys(otherOptions)), commandLines)
	for name := range labelOptions {
		separator := "-"
		if strings.HasSuffix(name, ".") {
			separator = ""
		}
		list = append(list, name+separator+"include", name+separator+"exclude")
	}
	slices.Sort(list)
	return list
}

// SetCollector sets an option of a collector for its flag, such as --collector.net.nic-include for the option
// net.nic-include. The server warns if the option has no effect.
func (c *Config) SetCollector(option, text string) error {
	reason, err := c.setCollector(option, text)
	if err != nil {
		return fmt.Errorf("--collector.%s: %w", option, err)
	}
	if reason != "" {
		c.notes = append(c.notes, fmt.Errorf("--collector.%s has no effect: %s", option, reason))
	}
	return nil
}

// SetIneffective warns about the flag of a key of windows_exporter that has no effect, such as log.file.
func (c *Config) SetIneffective(key string) {
	c.notes = append(c.notes, fmt.Errorf("--%s has no effect: %s", key, ineffective[key]))
}

// IneffectiveKeys returns these keys, sorted.
func IneffectiveKeys() []string { return slices.Sorted(maps.Keys(ineffective)) }

// setCollector sets an option of a collector. ineffective is the reason if the option has no effect.
func (c *Config) setCollector(option, text string) (ineffective string, err error) {
	if reason, known := otherOptions[option]; known {
		return reason, nil
	}
	if option == commandLines {
		if c.CommandLines, err = strconv.ParseBool(text); err != nil {
			return "", fmt.Errorf("expected true or false, found %q", text)
		}
		return "", nil
	}

	collector, key, _ := strings.Cut(option, ".")
	name, exclude := strings.CutSuffix(option, "exclude")
	label, known := labelOptions[strings.TrimSuffix(strings.TrimSuffix(name, "include"), "-")]
	if !known || !slices.Contains(CollectorOptions(), option) {
		const form = "unknown option %q of the collector %s%s"
		return "", fmt.Errorf(form, key, collector, optionLike(collector, key))
	}
	if _, err := regexp.Compile(text); err != nil {
		return "", err
	}
	pattern := regexp.MustCompile("^(?:" + text + ")$") // as windows_exporter: the whole value must match

	same := func(f metrics.LabelFilter) bool { return f.Collector == collector && f.Label == label }
	c.Filters = slices.Clone(c.Filters)
	at := slices.IndexFunc(c.Filters, same)
	if at < 0 {
		at = len(c.Filters)
		c.Filters = append(c.Filters, metrics.LabelFilter{Collector: collector, Label: label})
	}
	if exclude {
		c.Filters[at].Exclude = pattern
	} else {
		c.Filters[at].Include = pattern
	}
	return "", nil
}

// optionLike returns a hint with a similar option of a collector, or "".
func optionLike(collector, key string) string {
	var keys []string
	for _, option := range CollectorOptions() {
		if key, ok := strings.CutPrefix(option, collector+"."); ok {
			keys = append(keys, key)
		}
	}
	return didYouMean(key, keys)
}

// collectorProblems returns the enabled collectors without metrics, and counters without their collector.
func (c *Config) collectorProblems() (list []problem) {
	if c.Collectors == nil || !slices.Contains(c.Names, metrics.WindowsExporter) && len(c.Counters) == 0 {
		return nil
	}

	objects := metrics.CollectorObjects()
	var none []string
	for _, name := range c.Collectors {
		if _, known := objects[name]; !known && name != "performancecounter" {
			none = append(none, name)
		}
	}
	if len(none) > 0 {
		const form = "winperf has no metrics of %s, because they have no counters"
		err := fmt.Errorf(form, strings.Join(none, ", "))
		list = append(list, problem{"collectors.enabled", "", err})
	}
	if len(c.Counters) > 0 && !slices.Contains(c.Collectors, "performancecounter") {
		err := errors.New("without performancecounter, its counters are not served")
		list = append(list, problem{"collectors.enabled", "", err})
	}
	return list
}
