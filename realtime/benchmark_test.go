package realtime

import (
	"context"
	"testing"
)

// One run compares a push and pop with what a bare channel costs, on one
// goroutine (the queue itself) and between two (with their waking).

func BenchmarkPushPop(b *testing.B) {
	chunk := frame("mic/1", 1)
	b.Run("channel", func(b *testing.B) {
		c := make(chan *MessageChunk, 32)
		b.ReportAllocs()
		for b.Loop() {
			c <- chunk
			<-c
		}
	})
	b.Run("StreamBuilder", func(b *testing.B) {
		builder := NewStreamBuilder(32)
		s, ctx := builder.Stream(), context.Background()
		b.ReportAllocs()
		for b.Loop() {
			_ = builder.Add(ctx, chunk)
			_, _ = s.Next()
		}
	})
	b.Run("RealtimeStream", func(b *testing.B) {
		s := NewRealtimeStream(RealtimeConfig{})
		b.ReportAllocs()
		for b.Loop() {
			_ = s.Push(chunk)
			_, _ = s.Next()
		}
	})
	b.Run("RealtimeStream/two-tracks", func(b *testing.B) {
		s := NewRealtimeStream(RealtimeConfig{})
		other := frame("mic/2", 1)
		b.ReportAllocs()
		for b.Loop() {
			_, _ = s.Push(chunk), s.Push(other)
			_, _ = s.Next()
			_, _ = s.Next()
		}
	})
}

func BenchmarkHandOver(b *testing.B) {
	chunk := frame("mic/1", 1)
	b.Run("channel", func(b *testing.B) {
		c := make(chan *MessageChunk, 32)
		b.ReportAllocs()
		go func() {
			defer close(c)
			for range b.N {
				c <- chunk
			}
		}()
		for range c {
		}
	})
	b.Run("StreamBuilder", func(b *testing.B) {
		builder := NewStreamBuilder(32)
		b.ReportAllocs()
		go func() {
			defer builder.Done()
			for range b.N {
				_ = builder.Add(context.Background(), chunk)
			}
		}()
		for s := builder.Stream(); ; {
			if _, err := s.Next(); err != nil {
				return
			}
		}
	})
}

func BenchmarkChannelKey(b *testing.B) {
	var cache KeyCache
	canonical, spelled := frame("mic/1", 1), blob("r", "Audio/PCM; Rate=16000")
	b.Run("canonical", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = cache.Channel(canonical)
		}
	})
	b.Run("cached", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = cache.Channel(spelled)
		}
	})
	b.Run("parsed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = spelled.Channel()
		}
	})
}
