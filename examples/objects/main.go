// Objects lists all objects of a source with their counters, instances and help texts, in the language of
// the user. Everything is in the order of the source's blocks. Counters and instances are numbered from
// 0; counters that are only the base of another counter are omitted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/source"
)

// languages are the language ids of Windows by the beginning of LANG.
var languages = map[string]string{
	"de": "007", "en": "009", "es": "00A", "fr": "00C", "it": "010", "ja": "011", "ko": "012", "ru": "019",
	"zh_TW": "404", "zh_CN": "804", "pt_BR": "416", "pt_PT": "816",
}

func main() {
	url := flag.String("source", "local:", "the source to list: a URL, or the name of a log")
	language := flag.String("language", userLanguage(os.Getenv("LANG")),
		"language of names and help, as a registry number: 007 is German")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, *url, *language, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "objects:", err)
		os.Exit(1)
	}
}

// userLanguage returns the language of a value of LANG such as de_DE.UTF-8, or "" if LANG is empty, as on
// Windows: the source then uses the user's language.
func userLanguage(lang string) string {
	locale, _, _ := strings.Cut(lang, ".")
	if id, ok := languages[locale]; ok {
		return id
	}
	primary, _, _ := strings.Cut(locale, "_")
	return languages[primary]
}

// run lists the objects. Texts that a source lacks in the language are in English.
func run(ctx context.Context, url, language string, out io.Writer) error {
	src, err := source.Open(ctx, url)
	if err != nil {
		return err
	}
	defer src.Close()

	all, err := sensor.ReadCatalogue(ctx, src, sensor.CatalogueOptions{Language: language})
	if err != nil {
		return err
	}

	for _, damage := range all.Damage {
		fmt.Fprintln(os.Stderr, "objects:", damage)
	}

	for i := range all.Groups {
		if err := show(out, &all.Groups[i]); err != nil {
			return err
		}
	}

	_, err = fmt.Fprintf(out, "%d objects, %d counters, %d values\n",
		len(all.Groups), all.NumSensors(), all.NumReadings())
	return err
}

func show(out io.Writer, object *sensor.Group) error {
	costly := ""
	if object.Costly {
		costly = ", costly"
	}
	fmt.Fprintf(out, "%s (%d%s)\n    %s\n", object.Name, object.ObjectID.Index, costly, object.Help)

	fmt.Fprintln(out, "  counters")
	for n, s := range object.Sensors {
		fmt.Fprintf(out, "    %d  %s (%d): %v, %v, %v\n        %s\n",
			n, s.Name.Sensor, s.CounterID.Index, s.Type, s.Unit, s.Kind, s.Help)
	}

	// The name of an instance begins with its parent's name: editor/4711 is a thread of an editor. A
	// number distinguishes instances of the same name.
	if object.Multi {
		fmt.Fprintln(out, "  instances")
	}

	for n, instance := range object.Instances {
		name := instance.Name
		if instance.Index > 0 {
			name += fmt.Sprintf("#%d", instance.Index)
		}
		fmt.Fprintf(out, "    %d  %s\n", n, name)
	}
	_, err := fmt.Fprintln(out)
	return err
}
