// Package interview lets a simulated device ask recorded questions one after
// another in one session, shows what happens as it happens, and reports it. It is
// what the command "edged device" does; everything of the device itself is in
// package edgetest.
package interview
