package ws

import (
	"net/netip"
	"net/url"
	"strings"

	"edged/dialog"
	"edged/edge"
)

// origins decides which web pages may connect. The request's own host is no
// argument: a page of a name that was rebound to this machine would have it, too.
type origins struct {
	all, loopback bool
	listed        map[string]bool
}

func newOrigins(cfg Config) origins {
	o := origins{loopback: cfg.LoopbackOrigins, listed: make(map[string]bool, len(cfg.Origins))}
	for _, origin := range cfg.Origins {
		if origin == "*" {
			o.all = true
		}
		o.listed[normal(origin)] = true
	}
	return o
}

// check returns an *edge.Error for a page that may not connect. An empty origin
// is no page.
func (o origins) check(origin string) error {
	if origin == "" || o.all || o.listed[normal(origin)] || o.loopback && fromLoopback(origin) {
		return nil
	}
	return &edge.Error{Code: dialog.ErrorUnauthorized, Message: "pages of this origin may not connect; list it in the server's configuration"}
}

// normal makes equal origins equal strings.
func normal(origin string) string { return strings.ToLower(strings.TrimSuffix(origin, "/")) }

func fromLoopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	if host := u.Hostname(); host != "localhost" {
		addr, err := netip.ParseAddr(host)
		return err == nil && addr.IsLoopback()
	}
	return true
}
