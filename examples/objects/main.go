// Objects lists all objects of a source with their counters and instances, and
// their help, in the language of the user. Everything has the order of the
// source's blocks. Counters and instances are numbered from 0; counters that are only
// the base of another one are left out, and have no number.
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

// languages are the ids that Windows has for languages, by how LANG begins.
var languages = map[string]string{
	"de": "007", "en": "009", "es": "00A", "fr": "00C", "it": "010", "ja": "011", "ko": "012", "ru": "019",
	"zh_TW": "404", "zh_CN": "804", "pt_BR": "416", "pt_PT": "816",
}

func main() {
	url := flag.String("source", "local:", "whose objects to list: a URL, or the name of a log")
	language := flag.String("language", userLanguage(os.Getenv("LANG")),
		"of names and help, as the registry numbers it: 007 is German")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, *url, *language, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "objects:", err)
		os.Exit(1)
	}
}

// userLanguage is the language that a value of LANG such as de_DE.UTF-8 names.
// Without one, as on Windows, it is "": the source then prefers the user's.
func userLanguage(lang string) string {
	locale, _, _ := strings.Cut(lang, ".")
	if id, ok := languages[locale]; ok {
		return id
	}
	primary, _, _ := strings.Cut(locale, "_")
	return languages[primary]
}

// run lists the objects. What a source does not have in the language is shown in
// English.
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

// show lists an object.
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

	// The name of an instance begins with that of its parent: editor/4711 is a
	// thread of an editor. Instances of one name are told apart by numbers.
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
