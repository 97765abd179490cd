package web

// SetOnePage replaces the page in which the handler saves samples.
func (h *Handler) SetOnePage(page func() ([]byte, error)) { h.onePage = page }

// Cookie returns the name of the cookie.
func (h *Handler) Cookie() string { return h.cookie }

// Encode writes an answer as JSON.
var Encode = encode

// Occupy makes the handler as busy as it can be, until the returned function is called.
func (h *Handler) Occupy() (release func()) {
	for range maxAnswers {
		h.busy <- struct{}{}
	}
	return func() {
		for range maxAnswers {
			<-h.busy
		}
	}
}
