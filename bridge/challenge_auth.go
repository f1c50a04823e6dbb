package bridge

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// authScheme names how both ends prove the token. The token itself is never sent,
// so a program that takes our port learns nothing. Each proof covers both nonces
// and a label of its own, so it can be neither replayed nor reflected.
const authScheme = "hmac-sha256"

const (
	pluginLabel = "lectern plugin v1\n"
	serverLabel = "lectern server v1\n"
	nonceBytes  = 16
)

func newNonce() string {
	var bits [nonceBytes]byte
	_, _ = rand.Read(bits[:]) // never fails (crypto/rand)
	return hex.EncodeToString(bits[:])
}

func isNonce(s string) bool {
	bits, err := hex.DecodeString(s)
	return err == nil && len(bits) == nonceBytes
}

func computeProof(token loopnet.Token, label, first, second string) []byte {
	return token.MAC([]byte(label + first + "\n" + second))
}

// verifyPluginProof reports whether the Peer has the token.
func verifyPluginProof(token loopnet.Token, proof, server, plugin string) bool {
	got, err := hex.DecodeString(proof)
	return err == nil && len(got) == sha256.Size && isNonce(plugin) &&
		hmac.Equal(got, computeProof(token, pluginLabel, server, plugin))
}

func serverProof(token loopnet.Token, plugin, server string) string {
	return hex.EncodeToString(computeProof(token, serverLabel, plugin, server))
}
