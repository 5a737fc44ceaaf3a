package rest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// answer is a request's answer, judged.
type answer struct {
	profiles.Judgement
	left bool
	at   elevator.Instant
}

// asker asks the requests of a profile.
type asker struct {
	*client
	api *profiles.HTTP
}

// ask asks once for a poll, and once more when a token had run out; for a command
// never more than once. What is not good is an error as well, by its kind.
func (a *asker) ask(ctx context.Context, r *profiles.Request, args map[string]profiles.Raw, command bool) (answer, error) {
	if err := a.authorise(ctx); err != nil {
		return answer{at: a.env.Now()}, err
	}
	token := a.tokens.now()
	out, err := a.once(ctx, r, args, command)
	if out.Kind != profiles.AnswerDenied {
		a.tokens.doubt(out.left && errors.Is(err, drivers.ErrProtocol))
		return out, err
	}
	a.tokens.drop(token)
	if command || token == "" {
		a.account.refuse(command, token)
		return out, err
	}
	if err := a.authorise(ctx); err != nil {
		return out, err
	}
	if out, err = a.once(ctx, r, args, false); out.Kind == profiles.AnswerDenied {
		a.account.denied()
	}
	return out, err
}

// refuse stops the account where no token could mend it. A command that met a token
// which ran out stops nothing: the next poll fetches a new one.
func (a *account) refuse(command bool, token string) {
	if !command || token == "" {
		a.denied()
	}
}

func (a *asker) once(ctx context.Context, r *profiles.Request, args map[string]profiles.Raw, command bool) (answer, error) {
	said, err := a.api.Say(r, a.given(args))
	if err != nil {
		return answer{at: a.env.Now()}, fmt.Errorf("%w: %w: %w", drivers.ErrNotSent, drivers.ErrConfig, err)
	}
	if err := a.account.admit(ctx, command); err != nil {
		return answer{at: a.env.Now()}, err
	}
	if err := drivers.Consent(ctx); err != nil {
		return answer{at: a.env.Now()}, err
	}
	ctx, cancel := a.patience(ctx, r.Within)
	defer cancel()
	got, err := a.send(ctx, a.whole(said), said, command, r.Name == a.api.Auth.Request)
	out := answer{left: got.left, at: got.at}
	if err != nil {
		return out, err
	}
	if got.after > 0 && (got.status == 429 || got.status == 503) {
		a.account.silence(got.after)
	}
	out.Judgement = r.Judge(got.status, got.kind, got.body, a.given(nil))
	if out.Kind == profiles.AnswerGood {
		a.account.believed()
		return out, nil
	}
	if out.Kind == profiles.AnswerBusy && got.after == 0 && got.status == 429 {
		a.account.silence(2 * time.Second)
	}
	return out, complaint(got, out.Judgement)
}

// complaint is an answer that is not good, as an error.
func complaint(got reply, v profiles.Judgement) error {
	kind := drivers.ErrProtocol
	switch v.Kind {
	case profiles.AnswerBusy:
		kind = drivers.ErrBusy
	case profiles.AnswerConfig, profiles.AnswerDenied:
		kind = drivers.ErrConfig
	case profiles.AnswerDevice, profiles.AnswerRefused:
		kind = drivers.ErrDevice
	}
	what := "a no"
	if got.status != 0 {
		what = fmt.Sprintf("status %d, %s", got.status, shortType(got.kind))
	}
	if v.Kind != profiles.AnswerGarbage {
		what += ", code " + v.Code
	}
	if v.Text != "" {
		what += ", " + v.Text
	}
	return fmt.Errorf("%w: %s", kind, what)
}

func shortType(s string) string {
	t, _, _ := strings.Cut(s, ";")
	if t == "" || len(t) > 60 {
		return "no type"
	}
	return t
}

// authorise fetches a token where one is due. It sends nothing of the command itself.
func (a *asker) authorise(ctx context.Context) error {
	kind := a.api.Auth.Kind
	if kind != "login" && kind != "oauth2" || !a.tokens.due() {
		return nil
	}
	a.tokens.fetch.Lock()
	defer a.tokens.fetch.Unlock()
	if !a.tokens.due() {
		return nil
	}
	doc, err := a.tokenAnswer(ctx, kind)
	if err != nil {
		return fmt.Errorf("%w: fetch a token: %w", drivers.ErrNotSent, err)
	}
	token, lasts := a.api.Auth.Token(doc)
	if token == "" {
		a.account.denied()
		return fmt.Errorf("%w: fetch a token: %w: the answer holds none", drivers.ErrNotSent, drivers.ErrProtocol)
	}
	a.tokens.set(token, time.Now().Add(max(lasts-a.api.Auth.Renew, lasts/2)))
	return nil
}

func (a *asker) tokenAnswer(ctx context.Context, kind string) (any, error) {
	a.tokens.set("", time.Time{})
	if kind == "oauth2" {
		return a.grantBy(ctx, &a.api.Auth)
	}
	out, err := a.once(ctx, a.api.Request(a.api.Auth.Request), nil, true)
	if answered := out.left && !errors.Is(err, drivers.ErrLink) && !errors.Is(err, drivers.ErrTimeout); answered && err != nil && out.Kind != profiles.AnswerBusy {
		a.account.denied()
	}
	return out.Doc, err
}

// grantAt is where tokens are given.
func (c *client) grantAt(address string) (string, error) {
	if strings.HasPrefix(address, "https://") {
		return address, nil
	}
	if !strings.HasPrefix(address, "/") {
		return "", fmt.Errorf("%w: tokens are given at a path of the service or at an https address", drivers.ErrConfig)
	}
	base := *c.to.base
	base.Scheme = map[string]string{"ws": "http", "wss": "https"}[base.Scheme]
	if base.Scheme == "" {
		base.Scheme = c.to.base.Scheme
	}
	return base.Scheme + "://" + base.Host + address, nil
}

// grantBy asks for a token by client credentials.
func (c *client) grantBy(ctx context.Context, auth *profiles.Auth) (any, error) {
	address, said, err := auth.Grant(c.given(nil))
	if err == nil {
		address, err = c.grantAt(address)
	}
	if err != nil {
		return nil, err
	}
	if err := c.account.admit(ctx, true); err != nil {
		return nil, err
	}
	ctx, cancel := c.patience(ctx, 10*time.Second)
	defer cancel()
	got, err := c.send(ctx, address, said, true, true)
	if err != nil {
		return nil, err
	}
	if got.status == 400 || got.status == 401 || got.status == 403 {
		c.account.denied()
		return nil, fmt.Errorf("%w: status %d: the client is not believed", drivers.ErrConfig, got.status)
	}
	if got.after > 0 {
		c.account.silence(got.after)
	}
	doc, err := profiles.Document(got.body)
	if got.status != 200 || err != nil || !strings.HasPrefix(got.kind, "application/json") {
		c.account.denied()
		return nil, fmt.Errorf("%w: status %d, %s", drivers.ErrProtocol, got.status, shortType(got.kind))
	}
	return doc, nil
}
