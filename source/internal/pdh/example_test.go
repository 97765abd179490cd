package pdh_test

import (
	"context"
	"fmt"
	"log"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/source/internal/pdh"
)

func ExampleOpen() {
	src, err := pdh.Open(pdh.Options{Formatted: true})
	if err != nil {
		log.Fatal(err) // on other systems than Windows it is winperf.ErrNotSupported
	}
	defer src.Close()
	path, err := winperf.ParsePath(`\Processor(*)\% Processor Time`)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	q, err := src.Compile(ctx, winperf.Selection{Paths: []winperf.Path{path}})
	if err != nil {
		log.Fatal(err)
	}
	defer q.Close()
	readings, err := perftest.Readings(ctx, q)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range readings {
		fmt.Println(r.Series, r.Value, r.Status)
	}
}
