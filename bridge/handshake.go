package bridge

import (
	"encoding/json"
	"time"
)

// handshake authenticates a link: we send a nonce, the Peer proves the token
// over it and over a nonce of its own, and we prove it back. Anything else, or
// a late hello, ends the link. Our proof is sent by [conn.run], so that a Peer
// that has read it is registered already.
func (b *Bridge) handshake(l link, origin string) (*conn, *endReason) {
	timeout := time.AfterFunc(b.limits.Hello, func() { l.close(codeUnauthorized, "no hello came in time") })
	defer timeout.Stop()
	l.setReadLimit(maxHelloBytes + 4<<10)
	nonce := newNonce()
	err := l.write(encodeNotification("challenge", map[string]any{
		"nonce": nonce, "server_version": b.conf.Version, "scheme": authScheme,
	}))
	if err != nil {
		return nil, &endReason{code: codeAbnormal, reason: "the challenge could not be sent"}
	}
	text, err := l.read()
	if err != nil {
		return nil, new(endReasonFrom(err))
	}
	f, err := parseFrame(text, b.limits.Depth)
	if err != nil {
		return nil, &endReason{code: codeProtocol, reason: err.Error()}
	}
	if f.method != "hello" || f.id == "" {
		return nil, &endReason{code: codeProtocol, reason: "the first frame is not a hello with an id"}
	}
	ack, a, refused := b.authenticate(f, nonce)
	if refused != nil {
		_ = l.write(encodeError(f.id, refused.peerCode, refused.reason)) // the Peer may be gone
		b.recordRefusal(origin, refused.reason)
		return nil, &refused.endReason
	}
	if !timeout.Stop() {
		return nil, &endReason{code: codeUnauthorized, reason: "no hello came in time"}
	}
	l.setReadLimit(b.limits.Frame)
	c := newConn(b, l, origin, a)
	c.helloAnswer = encodeResult(f.id, ack)
	return c, nil
}

// A handshakeRefusal is the answer to a hello that is not accepted.
type handshakeRefusal struct {
	endReason
	peerCode string
}

// A helloAck is the answer to a Peer that has proved the token.
type helloAck struct {
	Type    string   `json:"type"`
	Proof   string   `json:"proof,omitempty"`
	Version string   `json:"server_version"`
	Enabled []string `json:"enabled_capabilities"`
	Skill   string   `json:"skill_version"`
	Command string   `json:"command,omitempty"`
	Ping    int64    `json:"ping_every_ms"`
	Pong    int64    `json:"pong_within_ms"`
}

// authenticate decides about a hello. It checks the proof first, so that an
// unauthenticated program learns nothing else.
func (b *Bridge) authenticate(f frame, nonce string) (*helloAck, *peerInfo, *handshakeRefusal) {
	var claim struct{ Nonce, Proof, Token string }
	if err := json.Unmarshal(f.params, &claim); err != nil {
		return nil, nil, &handshakeRefusal{endReason{code: codeProtocol, reason: "the params of hello cannot be read"}, "INVALID_INPUT"}
	}
	token := b.conf.Token()
	proved := verifyPluginProof(token, claim.Proof, nonce, claim.Nonce)
	if !proved && (!b.conf.PlainToken || !token.Matches(claim.Token)) {
		return nil, nil, &handshakeRefusal{
			endReason{
				code:   codeUnauthorized,
				reason: "the plugin's token is not this Lectern's; run: lectern plugin install, then restart the application",
			},
			"UNAUTHORIZED",
		}
	}
	a, err := b.parseHello(f.params)
	if err != nil {
		return nil, nil, &handshakeRefusal{endReason{code: codeProtocol, reason: "hello: " + err.Error()}, "INVALID_INPUT"}
	}
	ack := &helloAck{
		Type: "hello_ack", Version: b.conf.Version, Skill: b.conf.Skill, Command: b.conf.Command, Enabled: a.Capabilities,
		Ping: b.limits.Ping.Milliseconds(), Pong: b.limits.Pong.Milliseconds(),
	}
	if isNonce(claim.Nonce) {
		ack.Proof = serverProof(token, claim.Nonce, nonce)
	}
	return ack, a, nil
}
