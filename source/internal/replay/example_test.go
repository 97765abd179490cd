package replay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/source/internal/replay"
)

func ExampleOpenFiles() {
	dir, err := os.MkdirTemp("", "winperf")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var files []string
	for i, s := range perftest.Series(perftest.Small, 3, 0, 1) {
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.bin", i)))
		if err := os.WriteFile(files[i], s.Bytes, 0o600); err != nil {
			log.Fatal(err)
		}
	}

	src, err := replay.OpenFiles(files, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	ctx := context.Background()
	query, err := src.Compile(ctx, winperf.Selection{Global: true})
	if err != nil {
		log.Fatal(err)
	}
	defer query.Close()
	var sample winperf.Sample
	n := 0
	for {
		err := query.Next(ctx, &sample)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n, "samples of", src.Describe().Machine)
	// Output:
	// 3 samples of REFERENCE
}
