package edge

import (
	"net/http"
	"time"

	"edged/dialog"
)

// Bodiless is h for requests without a body; one that promises a body is refused.
//
// Before the server of net/http lets a connection be taken over, or used again, it
// waits for the body that was promised, and there is no limit to how long: who
// never sends it would hold a place, a goroutine and a socket for ever. A deadline
// for reading whole requests would be no remedy, since it ends answers that
// stream, too.
func Bodiless(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 { // -1 means that there is one of unknown length
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readHeaderTimeout)) // not of every writer
		WriteRefusal(w, http.StatusBadRequest, &Error{Code: dialog.ErrorProtocol, Message: "a request to this address has no body; leave out Content-Length and Transfer-Encoding"})
	})
}

// refusal is the body of an answer to a request that is refused.
type refusal struct {
	Error refusalError `json:"error"`
}

type refusalError struct {
	Code    dialog.ErrorCode `json:"code"`
	Message string           `json:"message"`
}

// WriteRefusal tells an HTTP client why its request is refused. For transports.
func WriteRefusal(w http.ResponseWriter, status int, why *Error) {
	WriteJSON(w, status, refusal{refusalError{why.Code, why.Message}})
}
