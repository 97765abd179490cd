package regfile

// Texts returns the names and help texts in the order of the file.
func (ini *INI) Texts() (texts []string) {
	for _, t := range ini.titles {
		texts = append(texts, t.value)
	}
	return texts
}
