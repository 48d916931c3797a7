// Package doctor finds out whether a configured server will work on this
// machine, and says in plain words what will not, why that matters, and what to
// do. It is what the command "edged doctor" does.
//
// # Place in the flow
//
// It stands beside the flow: a Check looks at one part of the server's
// surroundings (its ports, its engines, its clock), with what it looks at handed
// in by cmd/edged, and returns Findings. Run runs them one after another: one that
// fails, or panics, keeps no other from running. The last one, Trip, is a simulated
// device that asks a spoken question.
//
// Whatever a check opens or makes it closes and removes. Findings never hold a
// secret.
//
// # Concurrency
//
// The checks run one after another, on the goroutine that called Run. The package
// starts no goroutines of its own.
package doctor
