// Package g722 decodes ITU-T G.722 at 64 kbit/s to 16 kHz, for recordings that
// come in it. Two samples are one byte: six bits for the band below 4 kHz and two
// for that above, each ADPCM, joined by a quadrature mirror filter.
//
// # Concurrency
//
// Decode is a function of its argument.
package g722
