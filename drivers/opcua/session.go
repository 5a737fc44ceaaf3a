package opcua

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/gopcua/opcua/ua"
	"github.com/gopcua/opcua/uacp"
	"github.com/gopcua/opcua/uapolicy"
	"github.com/gopcua/opcua/uasc"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

const (
	connectWithin  = 10 * time.Second // dial, channel and session together
	channelLife    = time.Hour
	sessionLife    = time.Minute
	ownURI         = "urn:hoistway:gateway"
	namespaceArray = 2255 // a node of namespace 0
)

// session is one session on one connection. It never comes back: the link makes a new
// one.
type session struct {
	wire  *relay
	conn  *uacp.Conn
	sc    *uasc.SecureChannel
	token *ua.NodeID
	names []string // namespaces by their index; nil when nobody needs them
	now   func() elevator.Instant
	pace  pace
}

// connect opens a session.
func connect(ctx context.Context, env *drivers.Env, t *target, id identity, line string) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	if err := id.valid(time.Now()); err != nil {
		return nil, err
	}
	wire, own, err := dial(ctx, env, t, line)
	if err != nil {
		return nil, err
	}
	s := &session{wire: wire, now: env.Now}
	if err := s.begin(ctx, own, t, id); err != nil {
		s.kill()
		_ = own.Close()
		return nil, fmt.Errorf("%w: begin a session: %w", kindOf(err), s.cause(err))
	}
	return s, nil
}

// kindOf sorts what goes wrong at the beginning: that we are not let in is a matter of
// how things are set up.
func kindOf(err error) error {
	var code ua.StatusCode
	var no *uacp.Error
	if errors.As(err, &code) && code != ua.StatusBadTimeout || errors.As(err, &no) {
		return drivers.ErrConfig
	}
	return drivers.ErrLink
}

func (s *session) begin(ctx context.Context, own *net.TCPConn, t *target, id identity) (err error) {
	if s.conn, err = uacp.NewConn(own, &uacp.Acknowledge{
		ReceiveBufSize: maxMessage, SendBufSize: maxMessage, MaxMessageSize: maxMessage, MaxChunkCount: 1,
	}); err != nil {
		return err
	}
	if err = s.conn.Handshake(ctx, t.endpoint); err != nil {
		return err
	}
	cfg := &uasc.Config{
		SecurityPolicyURI: t.policy, SecurityMode: securityMode(t.mode), Lifetime: uint32(channelLife / time.Millisecond),
		RequestTimeout: connectWithin, Certificate: id.cert, LocalKey: id.key, RemoteCertificate: id.server,
	}
	if t.mode != open {
		cfg.Thumbprint = uapolicy.Thumbprint(id.server)
	}
	if s.sc, err = uasc.NewSecureChannel(t.endpoint, s.conn, cfg, make(chan error, 1)); err != nil {
		return err
	}
	if err = s.sc.Open(ctx); err != nil {
		return unopened(err, t)
	}
	return s.enter(ctx, t, id)
}

// unopened says what may be amiss where a secured channel does not open: a server that
// cannot read us mostly hangs up without a word.
func unopened(err error, t *target) error {
	if t.mode == open {
		return err
	}
	return fmt.Errorf("%w: the secured channel does not open: the server may not be the one whose certificate is in %s, may not trust ours (%s), or may not take the policy",
		err, t.trust, t.cert)
}

func securityMode(m mode) ua.MessageSecurityMode {
	return map[mode]ua.MessageSecurityMode{
		open: ua.MessageSecurityModeNone, signed: ua.MessageSecurityModeSign, encrypted: ua.MessageSecurityModeSignAndEncrypt,
	}[m]
}

// enter creates a session and shows who we are.
func (s *session) enter(ctx context.Context, t *target, id identity) error {
	nonce := make([]byte, 32)
	if _, err := rand.Read(nonce); err != nil {
		return err
	}
	made, err := askFor[*ua.CreateSessionResponse](ctx, s, &ua.CreateSessionRequest{
		ClientDescription: &ua.ApplicationDescription{
			ApplicationURI: ownURI, ProductURI: "urn:hoistway", ApplicationName: ua.NewLocalizedText("hoistway"), ApplicationType: ua.ApplicationTypeClient,
		},
		EndpointURL: t.endpoint, SessionName: fmt.Sprintf("hoistway-%x", nonce[:6]), ClientNonce: nonce, ClientCertificate: id.cert,
		RequestedSessionTimeout: float64(sessionLife / time.Millisecond),
	}, connectWithin)
	if err != nil {
		return err
	}
	if t.mode != open {
		if !bytes.Equal(made.ServerCertificate, id.server) {
			return fmt.Errorf("the server shows another certificate than the one that is trusted")
		}
		if err := s.sc.VerifySessionSignature(made.ServerCertificate, nonce, made.ServerSignature.Signature); err != nil {
			return fmt.Errorf("the server's signature: %w", err)
		}
	}
	return s.activate(ctx, t, id, made)
}

func (s *session) activate(ctx context.Context, t *target, id identity, made *ua.CreateSessionResponse) error {
	sign, alg, err := s.sc.NewSessionSignature(made.ServerCertificate, made.ServerNonce)
	if err != nil {
		return err
	}
	who, err := s.who(t, id, made)
	if err != nil {
		return err
	}
	s.token = made.AuthenticationToken
	_, err = askFor[*ua.ActivateSessionResponse](ctx, s, &ua.ActivateSessionRequest{
		ClientSignature: &ua.SignatureData{Algorithm: alg, Signature: sign}, LocaleIDs: []string{"en"},
		UserIdentityToken: ua.NewExtensionObject(who), UserTokenSignature: &ua.SignatureData{},
	}, connectWithin)
	return err
}

// who is nobody, or a name with its password, in the way that the server asks for it.
func (s *session) who(t *target, id identity, made *ua.CreateSessionResponse) (any, error) {
	want := ua.UserTokenTypeAnonymous
	if t.user != "" {
		want = ua.UserTokenTypeUserName
	}
	p := tokenPolicy(made.ServerEndpoints, t, want)
	if t.user == "" {
		if p == nil {
			return &ua.AnonymousIdentityToken{PolicyID: "Anonymous"}, nil
		}
		return &ua.AnonymousIdentityToken{PolicyID: p.PolicyID}, nil
	}
	if p == nil {
		return nil, fmt.Errorf("%w: the server takes no names with passwords on such a channel", ua.StatusBadIdentityTokenRejected)
	}
	secret, alg, err := s.sc.EncryptUserPassword(p.SecurityPolicyURI, id.password, made.ServerCertificate, made.ServerNonce)
	if err != nil {
		return nil, err
	}
	return &ua.UserNameIdentityToken{PolicyID: p.PolicyID, UserName: t.user, Password: secret, EncryptionAlgorithm: alg}, nil
}

func tokenPolicy(all []*ua.EndpointDescription, t *target, want ua.UserTokenType) *ua.UserTokenPolicy {
	for _, e := range all {
		if e.SecurityMode != securityMode(t.mode) || e.SecurityPolicyURI != t.policy {
			continue
		}
		for _, p := range e.UserIdentityTokens {
			if p.TokenType == want {
				return p
			}
		}
	}
	return nil
}

// askFor sends one request and takes the answer of its type.
func askFor[T ua.Response](ctx context.Context, s *session, req ua.Request, within time.Duration) (out T, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	asked := s.now()
	err = s.sc.SendRequestWithTimeout(ctx, req, s.token, within, func(v ua.Response) error {
		if _, kept := v.(*ua.PublishResponse); !kept && v.Header() != nil { // such a one waits for something to tell
			s.pace.saw(asked, s.now(), v.Header().Timestamp)
		}
		var ok bool
		if out, ok = v.(T); !ok {
			return fmt.Errorf("%w: %T in the place of %T", drivers.ErrProtocol, v, out)
		}
		return nil
	})
	return out, err
}

// alive reports whether the connection still stands.
func (s *session) alive() bool { return s.wire.reason() == nil }

// cause is why the connection ended, where that says more than err.
func (s *session) cause(err error) error {
	if why := s.wire.reason(); why != nil && !errors.Is(why, drivers.ErrClosed) && !errors.Is(why, io.EOF) {
		return why
	}
	return err
}

// left reports whether a message has left since the count was n. It waits for the
// connection to be over, if it is ending.
func (s *session) left(n uint64) bool {
	if !s.alive() {
		s.wire.close()
	}
	return s.wire.sent.Load() != n
}

// kill cuts the connection and waits for what lives on it.
func (s *session) kill() {
	s.wire.close()
	if s.sc != nil {
		_ = s.sc.Close()
	}
	if s.conn != nil {
		_ = s.conn.Close()
	}
}

// leave says goodbye first.
func (s *session) leave() {
	if s.alive() && s.token != nil {
		_, _ = askFor[*ua.CloseSessionResponse](context.Background(), s, &ua.CloseSessionRequest{DeleteSubscriptions: true}, 500*time.Millisecond)
		_ = s.sc.Close()
	}
	s.kill()
}
