package admin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"edged/edge/admin"
)

// An operator follows what happens to one device. newTape stands for a session
// log that holds two events.
func Example() {
	events := newTape(line("session.start", "kitchen"), line("session.start", "hall"))
	handler, err := admin.New(admin.Config{Token: "secret", Events: events, Sessions: cast{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer handler.Close()
	server := httptest.NewServer(handler)
	defer server.Close()

	request, _ := http.NewRequest("GET", server.URL+"/v1/admin/events?device=hall&since=10m&follow=false", nil)
	request.Header.Set("Authorization", "Bearer secret")
	request.Header.Set("Accept", "application/x-ndjson")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	fmt.Println(string(text))
	// Output:
	// {"id":"2","v":1,"event":"session.start","session":"session-of-hall","device":"hall"}
}
