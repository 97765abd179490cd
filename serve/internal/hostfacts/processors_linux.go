package hostfacts

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/winperf/winperf/sink/metrics"
)

// processor is a block of /proc/cpuinfo.
type processor map[string]string

// processors returns the packages and frequencies of processors.
func (h *host) processors() (all []metrics.HostValue) {
	var packages []string
	counts, first := map[string]int{}, map[string]processor{}
	for block := range strings.SplitSeq(h.text("proc/cpuinfo"), "\n\n") {
		p := processor{}
		for line := range strings.Lines(block) {
			name, text, _ := strings.Cut(line, ":")
			p[strings.TrimSpace(name)] = strings.TrimSpace(text)
		}
		if p["processor"] == "" {
			continue
		}

		if mhz, err := strconv.ParseFloat(p["cpu MHz"], 64); err == nil {
			all = append(all, value("windows_cpu_core_frequency_mhz", mhz, "core", "0,"+p["processor"]))
		}
		id := "CPU" + p["physical id"]
		if first[id] == nil {
			first[id], packages = p, append(packages, id)
		}
		counts[id]++
	}

	for _, id := range packages {
		all = h.processorPackage(all, id, first[id], counts[id])
	}
	return all
}

// architectures are the values of Win32_Processor.Architecture.
var architectures = map[string]string{"386": "0", "arm": "5", "amd64": "9", "arm64": "12"}

// processorPackage appends the values of a package with n logical processors.
func (h *host) processorPackage(all []metrics.HostValue, id string, p processor, n int) []metrics.HostValue {
	description := p["vendor_id"]
	if p["cpu family"] != "" {
		description += " Family " + p["cpu family"] + " Model " + p["model"] + " Stepping " + p["stepping"]
	}
	all = append(all,
		value("windows_cpu_info", 1, "architecture", architectures[runtime.GOARCH], "description", description,
			"device_id", id, "family", p["cpu family"], "name", p["model name"]),
		value("windows_cpu_info_logical_processor", float64(n), "device_id", id),
		value("windows_cpu_info_thread", float64(n), "device_id", id))

	if cores := number(p["cpu cores"]); cores > 0 {
		all = append(all,
			value("windows_cpu_info_core", float64(cores), "device_id", id),
			value("windows_cpu_info_enabled_core", float64(cores), "device_id", id))
	}
	for _, level := range []string{"2", "3"} {
		directory := "sys/devices/system/cpu/cpu" + p["processor"] + "/cache/index" + level
		size := number(strings.TrimSuffix(h.text(directory+"/size"), "K"))
		if size > 0 && h.text(directory+"/level") == level {
			all = append(all, value("windows_cpu_info_l"+level+"_cache_size", float64(size), "device_id", id))
		}
	}
	return all
}
