package loader

import (
	"fmt"
	"net"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rule is what a value must satisfy beyond its form. The zero value is satisfied
// by everything.
type rule struct {
	bounded     bool
	least, most float64  // of numbers; nanoseconds of durations
	allowed     []string // of texts and names; nil admits any
	format      string   // of texts: a key of formats, or ""
}

// format is a text of a special form.
type format struct {
	// check says what is wrong with a text, "" if nothing is.
	check func(string) string
	// allowed says what is right.
	allowed string
	// pattern is a regular expression that every right text fits.
	pattern string
}

// formats are the texts of a special form, by the word for them in the tag form.
func formats() map[string]format {
	return map[string]format{
		"address": {checkAddress, "host:port with an IP address, localhost or nothing before the port, such as 127.0.0.1:8080", `^.*:[0-9]{1,5}$`},
		"address or nothing": {func(s string) string {
			if s == "" {
				return ""
			}
			return checkAddress(s)
		}, "host:port, or nothing", `^(.*:[0-9]{1,5})?$`},
		"name":     {checkName, "letters, digits, and . _ - between them", `^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`},
		"origin":   {checkOrigin, "https://host or http://host:port", `^https?://[^/]+/*$`},
		"timezone": {checkTimezone, `an IANA name such as "Europe/Berlin", or "" for the machine's`, ""},
		"url":      {checkURL, "an absolute URL such as https://host/path", `^(https?|wss?)://.+$`},
	}
}

// ruleOf reads the rule of a tag.
func ruleOf(f form, tag reflect.StructTag) rule {
	r := rule{allowed: split(tag.Get("allow")), format: tag.Get("form")}
	if _, known := formats()[r.format]; r.format != "" && !known {
		panic(fmt.Sprintf("loader: form:%q is not known", r.format))
	}
	bounds := tag.Get("range")
	if bounds == "" {
		return r
	}
	least, most, _ := strings.Cut(bounds, "..")
	r.bounded, r.least, r.most = true, bound(f, least), bound(f, most)
	return r
}

func bound(f form, s string) float64 {
	if f == duration {
		d, err := time.ParseDuration(s)
		if err != nil {
			panic("loader: range: " + err.Error())
		}
		return float64(d)
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("loader: range: " + err.Error())
	}
	return n
}

// check says what is wrong with a value and what would be right; "" if nothing is
// wrong.
func (r rule) check(v reflect.Value) (message, allowed string) {
	switch v.Kind() {
	case reflect.String:
		if n := v.Len(); v.Type() == reflect.TypeFor[Secret]() {
			if r.bounded && (float64(n) < r.least || float64(n) > r.most) {
				return fmt.Sprintf("the secret is %d bytes long", n), r.describe(secret)
			}
		} else if s := v.String(); r.allowed != nil && !slices.Contains(r.allowed, s) {
			return fmt.Sprintf("%q is not known", s), r.describe(text)
		} else if r.format != "" {
			f := formats()[r.format]
			if wrong := f.check(s); wrong != "" {
				return wrong, f.allowed
			}
		}
	case reflect.Int, reflect.Int64, reflect.Float64:
		f, n, shown := number, 0.0, fmt.Sprint(v.Interface())
		if v.CanFloat() {
			n = v.Float()
		} else {
			n = float64(v.Int())
		}
		if v.Type() == reflect.TypeFor[time.Duration]() {
			f = duration
		}
		if r.bounded && !(n >= r.least && n <= r.most) { // not a number is not within
			return shown + " is out of range", r.describe(f)
		}
	}
	return "", ""
}

// describe says in words what the rule admits, "" if it admits everything.
func (r rule) describe(f form) string {
	switch {
	case r.allowed != nil:
		return strings.Join(r.allowed, ", ")
	case r.format != "":
		return formats()[r.format].allowed
	case !r.bounded:
		return ""
	case f == secret:
		return fmt.Sprintf("%.0f to %.0f bytes", r.least, r.most)
	case f == duration:
		return fmt.Sprintf("%s to %s", shortly(time.Duration(r.least)), shortly(time.Duration(r.most)))
	default:
		return strconv.FormatFloat(r.least, 'f', -1, 64) + " to " + strconv.FormatFloat(r.most, 'f', -1, 64)
	}
}

// shortly writes a duration as people do: 5m, not 5m0s.
func shortly(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func checkAddress(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Sprintf("%q is not an address", address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Sprintf("%q is not a port from 0 to 65535", port)
	}
	if ip := net.ParseIP(host); ip == nil && host != "" && host != "localhost" {
		return fmt.Sprintf("%q is not an IP address", host)
	}
	return ""
}

func checkName(name string) string {
	if !regexp.MustCompile(formats()["name"].pattern).MatchString(name) {
		return fmt.Sprintf("%q is not a name", name)
	}
	return ""
}

func checkOrigin(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return fmt.Sprintf("%q is not an origin", origin)
	}
	return ""
}

func checkURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) || u.Host == "" {
		return fmt.Sprintf("%q is not an absolute URL", text)
	}
	return ""
}

func checkTimezone(name string) string {
	if _, err := time.LoadLocation(name); err != nil {
		return fmt.Sprintf("%q is not a time zone", name)
	}
	return ""
}
