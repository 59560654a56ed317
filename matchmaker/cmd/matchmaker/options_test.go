package main

import (
	"strings"
	"testing"
)

// usual are options that the server takes.
func usual() options { return options{port0: 60000, ports: 4096, level: "info"} }

func TestTheServerIsSetUpAsTheFlagsSay(t *testing.T) {
	o := usual()
	o.public, o.proxies = "203.0.113.7", "127.0.0.0/8, ::1/128"
	o.stun = "stun:a.example:3478,stun:b.example:3478"

	cfg, err := o.server()

	if err != nil || cfg.PublicIP.String() != o.public || len(cfg.TrustedProxies) != 2 || len(cfg.STUN) != 2 || cfg.TLS != nil {
		t.Errorf("got %+v, %v", cfg, err)
	}
}

func TestAFlagThatMakesNoSenseIsNamed(t *testing.T) {
	for flag, spoil := range map[string]func(*options){
		"-public-ip":       func(o *options) { o.public = "here" },
		"-trusted-proxies": func(o *options) { o.proxies = "127.0.0.1" },
		"-relay-ports":     func(o *options) { o.port0, o.ports = 65535, 2 },
		"-tls-key":         func(o *options) { o.cert = "cert.pem" },
		"-acme":            func(o *options) { o.cert, o.key, o.acme = "cert.pem", "key.pem", "play.example.com" },
		"-log":             func(o *options) { o.level = "loud" },
	} {
		o := usual()
		spoil(&o)
		if _, err := o.server(); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s: error %v", flag, err)
		}
	}
}
