package doctor

import (
	"errors"

	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/internal/winapi"
)

// maxEvents limits the entries of the event log that are read.
const maxEvents = 500

// readEvents returns the newest entries of Perflib. Before Windows Vista its name was Perflib.
func readEvents(api *winapi.Events) (events []diagnosis.Event, err error) {
	const perflib = "Microsoft-Windows-Perflib"
	const query = "*[System[Provider[@Name='" + perflib + "' or @Name='Perflib']]]"
	entries, err := api.Read("Application", query, perflib, maxEvents)
	for _, entry := range entries {
		e, failure := diagnosis.ParseEvent(entry.XML, entry.Message)
		err = errors.Join(err, failure)
		events = append(events, e)
	}
	return events, err
}
