package web

// SetOnePage replaces the page in which the handler saves samples.
func (h *Handler) SetOnePage(page func() ([]byte, error)) { h.onePage = page }
