// Package impair models what comes between a simulated device and its server,
// and between its speaker and its microphone: a network that loses, delays,
// reorders and doubles packets ([Network], [Line]), a clock that runs fast or slow
// ([Clock]), and a room in which the microphone hears the speaker ([Echo],
// [Tape]).
//
// The models are values of arithmetic: they start nothing and read no clock. What
// is random comes from a seed, so that a run can be had again. None of them is for
// concurrent use.
package impair
