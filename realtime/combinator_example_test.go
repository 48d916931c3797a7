package realtime_test

import (
	"context"
	"fmt"
	"io"

	"edged/realtime"
)

// say returns a stream of texts on one route.
func say(role realtime.Role, route string, words ...string) realtime.Stream {
	b := realtime.NewStreamBuilder(len(words))
	for _, word := range words {
		_ = b.Add(context.Background(), &realtime.MessageChunk{
			Role: role, Part: realtime.Text(word), Ctrl: &realtime.StreamCtrl{StreamID: route},
		})
	}
	b.Done()
	return b.Stream()
}

// show prints a stream to its end.
func show(s realtime.Stream) {
	for {
		chunk, err := s.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		end := ""
		if chunk.IsEndOfStream() {
			end = " (end of channel)"
		}
		fmt.Printf("%s %q%s\n", chunk.Route(), chunk.Part, end)
	}
}

// A greeting is spoken before the answer, however early the answer is there.
func ExampleMerge() {
	greeting := say(realtime.RoleModel, "reply/1", "Sure,", " one moment.")
	answer := say(realtime.RoleModel, "reply/2", "It is noon.")

	stream := realtime.Merge(greeting, answer)
	defer stream.Close()
	show(stream)
	// Output:
	// reply/1 "Sure,"
	// reply/1 " one moment."
	// reply/2 "It is noon."
	// EOF
}

// Two sources are heard in turn.
func ExampleMergeInterleaved() {
	stream := realtime.MergeInterleaved(
		say(realtime.RoleUser, "mic/1", "left", "left", "left"),
		say(realtime.RoleUser, "mic/2", "right", "right", "right"),
	)
	defer stream.Close()
	heard := map[string]int{}
	for {
		chunk, err := stream.Next()
		if err != nil {
			break
		}
		heard[chunk.Route()]++
	}
	fmt.Println(heard)
	// Output: map[mic/1:3 mic/2:3]
}

// Each input ends its channel, so that a consumer can tell them apart although
// they share a route.
func ExampleCompositeSeq() {
	stream := realtime.CompositeSeq(
		say(realtime.RoleModel, "reply/1", "It is noon."),
		say(realtime.RoleModel, "reply/1", "Anything else?"),
	)
	defer stream.Close()
	show(stream)
	// Output:
	// reply/1 "It is noon."
	// reply/1 "" (end of channel)
	// reply/1 "Anything else?"
	// EOF
}

// What the user said and what the model says go different ways.
func ExampleSplit() {
	conversation := realtime.Merge(
		say(realtime.RoleUser, "mic/1", "What time is it?"),
		say(realtime.RoleModel, "reply/1", "It is noon."),
	)
	users, models := realtime.Split(conversation, func(c *realtime.MessageChunk) bool {
		return c.Role == realtime.RoleUser
	})
	defer users.Close()
	defer models.Close()
	show(users)
	show(models)
	// Output:
	// mic/1 "What time is it?"
	// EOF
	// reply/1 "It is noon."
	// EOF
}

// What is spoken is written to the history as well.
func ExampleTee() {
	history := realtime.NewStreamBuilder(8) // room for all: both are read in one goroutine
	spoken := realtime.Tee(say(realtime.RoleModel, "reply/1", "It is", " noon."), history)
	defer spoken.Close()
	show(spoken)
	show(history.Stream())
	// Output:
	// reply/1 "It is"
	// reply/1 " noon."
	// EOF
	// reply/1 "It is"
	// reply/1 " noon."
	// EOF
}

// Content is read with the tools of package io, whatever chunks it came in.
func ExampleIter() {
	elements := realtime.Iter(say(realtime.RoleModel, "reply/1", "It is", " noon", "."))
	defer elements.Close()
	for {
		element, err := elements.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		content, err := io.ReadAll(element) // with several elements: in a goroutine for each
		fmt.Println(element.Role, element.MIMEType, string(content), err)
	}
	// Output:
	// model text/plain It is noon. <nil>
	// EOF
}
