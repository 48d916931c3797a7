// Package docs reads the pages that come with edged, so that tests can hold them
// to what they say: each snippet is run, loaded, parsed or compared with the
// code it comes from, and a snippet that nothing covers fails a test.
//
// A fenced block has a language: sh, yaml, go, json or text. Indented blocks are
// commands. Shell commands are run by the scripts in cmd/edged/testdata/script,
// which take them from the page.
package docs
