package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// minCertificateTimeLeft is how long before its end a certificate must be renewed.
const minCertificateTimeLeft = 7 * 24 * time.Hour

// checkRemoteListener says for whom the second listener is open, for as long as it is:
// that is worth a warning even where it is meant.
func checkRemoteListener(_ context.Context, r *checkRun) status.Check {
	conf, err := r.conf()
	switch {
	case err != nil:
		return skipResult("the configuration cannot be read")
	case conf.Listen.Address == "":
		return okResult("there is no second listener, so no other machine reaches Lectern")
	}
	if p, found := r.findHubProblem(problems.ListenStopped); found {
		return fromProblem(p)
	}
	const fix = `If that is not what you want, run: lectern config set listen.address "", and restart the hub.`
	if why := certificateFault(conf.Listen, r.Now()); why != "" {
		return warnResult(describeRemoteListener(conf.Listen)+"; "+why, "Renew the certificate; the hub reads it again automatically.")
	}
	return warnResult(describeRemoteListener(conf.Listen), fix)
}

// describeRemoteListener describes a second listener.
func describeRemoteListener(l config.Listen) string {
	who, what := strings.Join(l.Allow, ", "), "the routes of "+strings.Join(l.Sources, ", ")
	if who == "" {
		who = "programs of every user of this machine"
	}
	if l.MCP {
		what += ", and their MCP for clients with a token of their own"
	}
	return fmt.Sprintf("%s is open to %s for %s", l.Address, who, what)
}

// certificateFault says why clients will not accept the certificate; "" if they
// will, as far as its own text goes.
func certificateFault(l config.Listen, now time.Time) string {
	certificate, err := loopnet.LoadCertificate(l.TLSCert, l.TLSKey)
	if err != nil {
		return err.Error()
	}
	pair, err := certificate.Current()
	if err != nil {
		return err.Error()
	}
	if left := pair.Leaf.NotAfter.Sub(now); left < minCertificateTimeLeft {
		return fmt.Sprintf("its certificate ends on %s", pair.Leaf.NotAfter.Format(time.DateOnly))
	}
	for _, host := range l.Hosts {
		if err := pair.Leaf.VerifyHostname(host); err != nil {
			return fmt.Sprintf("its certificate is not for %s: %v", host, err)
		}
	}
	return ""
}
