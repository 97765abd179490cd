package zone

import (
	"strconv"
	"strings"
)

// references are Windows zones that logs name only by a resource of tzres.dll: the number of the
// standard name, the standard bias, and the name without "Standard Time". The daylight name is the
// previous resource. Source: MUI_Std under "Time Zones" in the registry of every Windows.
var references = [...]struct {
	resource, bias int
	name           string
}{
	{82, 240, "Atlantic"}, {112, 300, "Eastern"}, {162, 360, "Central"}, {192, 420, "Mountain"},
	{212, 480, "Pacific"}, {222, 540, "Alaskan"}, {232, 600, "Hawaiian"},
	{262, 0, "GMT"}, {302, -60, "Romance"}, {322, -60, "W. Europe"}, {352, -120, "FLE"}, {362, -120, "GTB"},
	{422, -180, "Russian"}, {492, -330, "India"}, {572, -480, "China"}, {632, -540, "Tokyo"},
	{672, -600, "AUS Eastern"}, {742, -720, "New Zealand"},
}

// universal is the resource of UTC, whose name has no "Standard Time".
const universal = 932

// Named returns the name of a zone with this name and bias. It resolves a reference to a resource,
// to "" if it is unknown.
func Named(name string, bias int) string { return resolve(name, bias, bias+60) }

// resolve returns the name for a reference to a resource if the zone has the bias of that name,
// because numbers may differ between versions of Windows. standard is the standard bias if the
// reference is a standard name, and summer if it is a daylight name. resolve returns "" for an
// unknown reference, and any other name unchanged.
func resolve(name string, standard, summer int) string {
	if name == "" || name[0] != '@' {
		return name
	}

	file, number, _ := strings.Cut(name, ",-")
	resource, err := strconv.Atoi(number)
	if err != nil || !strings.HasSuffix(strings.ToLower(file), "tzres.dll") {
		return ""
	}
	if resource == universal && standard == 0 {
		return "Coordinated Universal Time"
	}

	for _, r := range references {
		switch {
		case r.resource == resource && r.bias == standard:
			return r.name + " Standard Time"
		case r.resource-1 == resource && r.bias == summer:
			return r.name + " Daylight Time"
		}
	}
	return ""
}
