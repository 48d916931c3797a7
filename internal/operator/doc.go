// Package operator is the operator's side of the server's HTTP API: a client
// that follows the session log across lost connections, and the views in which
// a person reads it.
//
// A View prints one line for each event, a Table lists sessions, a Waterfall
// shows a session turn by turn. They write plain text, or colours for a terminal.
// What devices and people have said is printed without its control characters.
//
// # Concurrency
//
// A Client may be used by several goroutines at once, a View by one. The package
// leaves no goroutines behind when its functions return.
package operator
