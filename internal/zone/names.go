package zone

import (
	"strconv"
	"strings"
)

// references are zones of Windows that logs know by a resource of tzres.dll only: the number
// of the name in standard time, the bias then, and the name without "Standard Time". The
// name in summer is the resource before it. Documented in the registry of every Windows, as
// MUI_Std below "Time Zones".
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

// universal is the resource of UTC, which has no "Standard Time".
const universal = 932

// Named returns what a zone is called that has a bias under this name. A reference to a
// resource is replaced by the name that it stands for, "" where that is not known.
func Named(name string, bias int) string { return resolve(name, bias, bias+60) }

// resolve returns the name that a reference to a resource stands for, where the zone has the
// standard bias of that name: numbers may mean others in other versions of Windows. summer is
// the standard bias if the name is one of summer. It is "" where that is not known; every
// other name stays as it is.
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
