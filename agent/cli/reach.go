package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"hoistway/agent/explain"
)

// unreachable tells why there is no answer.
func (c *client) unreachable(method string, err error) *failure {
	f := c.classify(err)
	f.exit, f.err = exitReach, err
	if method != http.MethodGet && f.code != "E-3001" && f.code != "E-3003" {
		f.text += " (it is not known whether it was done; look before you repeat it)"
	}
	return f
}

func (c *client) classify(err error) *failure {
	var (
		dns     *net.DNSError
		op      *net.OpError
		cert    *tls.CertificateVerificationError
		timeout net.Error
	)
	where := c.base.String()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return &failure{code: "E-3001", text: "cannot reach the agent at " + where +
			": connection refused (is it running? systemctl status hoistway)"}
	case errors.As(err, &dns):
		return &failure{code: "E-3003", text: "cannot find " + dns.Name + ": " + dns.Err}
	case errors.As(err, &cert):
		return &failure{code: "E-3005", text: where + ": " + cert.Err.Error()}
	case errors.Is(err, http.ErrSchemeMismatch):
		return &failure{code: "E-3007", text: where + " does not speak https"}
	case errors.As(err, &op) && op.Op == "dial":
		return &failure{code: "E-3001", text: "cannot reach the agent at " + where + ": " + inner(op.Err)}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &failure{code: "E-3002", text: fmt.Sprintf("no answer from %s within %s", where, c.timeout)}
	}
	return &failure{code: "E-3006", text: "the answer of " + where + " broke off: " + inner(err)}
}

// inner gives the words at the bottom, without the request they were wrapped in.
func inner(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

func notAnAgent(err error) *failure {
	return &failure{exit: exitReach, code: "E-3007", text: "the answer is not one of an agent: " + err.Error(), err: err}
}

// problem is what the command line reads of an RFC 9457 problem.
type problem struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Code   string `json:"code"`
}

// refused turns an answer that is not 2xx into its error.
func refused(status int, data []byte) *failure {
	var p problem
	if json.Unmarshal(data, &p) != nil || p.Title == "" && p.Detail == "" && p.Code == "" {
		return notAnAgent(fmt.Errorf("status %d without a problem in it", status))
	}
	code := first(p.Code, byStatus(status))
	title := p.Title
	if e, ok := explain.Lookup(code); ok {
		title = e.Title
	}
	text := title
	if p.Detail != "" && p.Detail != title {
		text = cmp.Or(text, "refused") + ": " + p.Detail
	}
	return &failure{exit: exitFinding, code: code, text: text}
}

// byStatus is for answers of the HTTP layer, which knows no codes.
func byStatus(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "E-2001"
	case http.StatusRequestEntityTooLarge:
		return "E-2002"
	case http.StatusUnauthorized:
		return "E-2003"
	case http.StatusForbidden:
		return "E-2004"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "E-2008"
	case http.StatusUnprocessableEntity:
		return "E-2112"
	}
	return "E-2010"
}
