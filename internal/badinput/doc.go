// Package badinput keeps docs/bad-input.md and the tests in step: every row of the
// page names the test that shows it, and every test that claims to show bad input
// stands in the page. It has tests only and starts nothing: it reads the page and
// the syntax trees.
//
// A test claims a row by standing in a file whose name begins with "badinput", or
// by the words "Bad input" (in quotes) in its comment. A number such as F40 in the
// comment of a test claims the row of the page that begins with that number.
package badinput
