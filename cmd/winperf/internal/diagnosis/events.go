package diagnosis

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Event is an entry of Perflib in the event log. Perflib logs why it does not call a provider.
type Event struct {
	ID      string
	Time    string   // as in the log, in UTC
	Values  []string // such as the names of the provider and of its DLL
	Message string   // the text for the user, or ""
}

// ParseEvent reads an event in XML (Microsoft Learn, "Event Schema").
func ParseEvent(text, message string) (Event, error) {
	e := Event{Message: strings.Join(strings.Fields(message), " ")}
	d := xml.NewDecoder(strings.NewReader(text))
	values := false
	for inside := ""; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return e, nil
		}
		if err != nil {
			return e, fmt.Errorf("event: %w", err)
		}

		switch t := token.(type) {
		case xml.StartElement:
			inside = t.Name.Local
			values = values || inside == "EventData" || inside == "UserData"
			for _, a := range t.Attr {
				if inside == "TimeCreated" && a.Name.Local == "SystemTime" {
					e.Time = a.Value
				}
			}
		case xml.EndElement:
			inside = ""
		case xml.CharData:
			value := strings.TrimSpace(string(t))
			switch {
			case inside == "EventID":
				e.ID = value
			case values && value != "":
				e.Values = append(e.Values, value)
			}
		}
	}
}

// String returns the event as a line of evidence.
func (e Event) String() string {
	text := e.Message
	if text == "" {
		text = strings.Join(e.Values, ", ")
	}
	return fmt.Sprintf("event %s of %s: %s", e.ID, e.Time, text)
}

// about reports whether an event has the name of a provider among its values.
func (e Event) about(p *provider) bool {
	return slices.ContainsFunc(e.Values, func(s string) bool {
		return strings.EqualFold(strings.Trim(s, `"`), p.name)
	})
}

// showEvents is the command that shows the entries of Perflib.
const showEvents = `wevtutil qe Application "/q:*[System/Provider[@Name='Microsoft-Windows-Perflib']]" ` +
	`/c:20 /rd:true /f:text`

// eventsOf returns the newest entries about a provider, or why there are none.
func (v *view) eventsOf(p *provider) (lines []string) {
	if v.Events == nil {
		return []string{"the events that name the provider: " + showEvents}
	}
	events, err := v.Events()
	for _, e := range events {
		if e.about(p) {
			lines = append(lines, e.String())
		}
	}

	const most = 3
	switch {
	case err != nil:
		lines = append(lines, fmt.Sprintf("the event log could not be read: %v", err))
	case len(lines) == 0:
		lines = []string{fmt.Sprintf("none of the %d newest events of Perflib names the provider", len(events))}
	}
	return lines[:min(len(lines), most)]
}
