package edge

import "testing"

// TestAddressOf: what counts as one address.
func TestAddressOf(t *testing.T) {
	tests := []struct {
		remote, want string
	}{
		{"192.0.2.7:4711", "192.0.2.7/32"},
		{"192.0.2.7", "192.0.2.7/32"},
		{"[::ffff:192.0.2.7]:4711", "192.0.2.7/32"},
		{"[2001:db8:1:2:3:4:5:6]:4711", "2001:db8:1:2::/64"},
		{"[2001:db8:1:2::1]:9", "2001:db8:1:2::/64"},
		{"[2001:db8:1:3::1]:9", "2001:db8:1:3::/64"},
		{"[fe80::1%eth0]:4711", "fe80::/64"},
		{"[::1]:4711", "::/64"},
		{"127.0.0.1:4711", "127.0.0.1/32"},
		{"@", "invalid Prefix"},
		{"", "invalid Prefix"},
		{"lamp.local:4711", "invalid Prefix"},
	}
	for _, tt := range tests {
		if got := addressOf(tt.remote); got.String() != tt.want {
			t.Errorf("%q counts as %v, want %s", tt.remote, got, tt.want)
		}
	}
}
