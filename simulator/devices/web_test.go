package devices

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

func webBench(t *testing.T, shape WebShape) (*World, *Web) {
	t.Helper()
	noLeak(t)
	w := world(t, since(time.Now()))
	s, err := ServeWeb(w, net.Listen, "127.0.0.1:0", shape, "L1", "L2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, s) })
	return w, s
}

// caller is a client that keeps no connections.
func caller() *http.Client {
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
}

func call(t *testing.T, s *Web, method, path, token, body string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+s.Addr()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := caller().Do(r)
	if err != nil {
		return 0, err.Error(), nil
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error(), nil
	}
	return res.StatusCode, string(b), res.Header
}

func benchToken(t *testing.T, s *Web) string {
	t.Helper()
	r, _ := http.NewRequest("POST", "http://"+s.Addr()+"/token", strings.NewReader("grant_type=client_credentials"))
	r.SetBasicAuth(WebClient, WebSecret)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := caller().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var x struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(res.Body).Decode(&x); err != nil || x.Token == "" {
		t.Fatal(err)
	}
	return x.Token
}

// SM-2: the service's own page, line by line.
func TestBenchServiceAnswers(t *testing.T) {
	w, s := webBench(t, ShapeBench)
	token := benchToken(t, s)
	status, body, _ := call(t, s, "GET", "/lifts/L1", token, "")
	if status != 200 || !strings.Contains(body, `"lift":"L1"`) || !strings.Contains(body, `"motion":"standing"`) || !strings.Contains(body, `"front":{"hold_s":0,"state":"closed"}`) {
		t.Errorf("%d %s", status, body)
	}
	for _, c := range []struct {
		method, path, token, body string
		status                    int
		has                       string
	}{
		{"GET", "/lifts/L1", "", "", 401, "TOKEN"},
		{"GET", "/lifts/L1", "other", "", 401, "TOKEN"},
		{"GET", "/lifts/L9", token, "", 404, "NO_LIFT"},
		{"POST", "/token", "", "grant_type=client_credentials", 401, "invalid_client"},
		{"POST", "/lifts/L1/calls", token, `{"kind":"car","floor":3}`, 200, `{"lift":"L1"}`},
		{"POST", "/lifts/L1/calls", token, `{"kind":"landing","floor":2,"direction":"up"}`, 200, ""},
		{"POST", "/lifts/L1/calls", token, `{"kind":"landing","floor":99,"direction":"up"}`, 422, "NO_LANDING"},
		{"POST", "/lifts/L1/calls", token, `{"kind":"car"`, 400, "SYNTAX"},
		{"POST", "/lifts/L1/calls", token, `{"kind":"door"}`, 400, "SYNTAX"},
		{"PUT", "/lifts/L1/doors/front/hold", token, `{"seconds":5}`, 409, "MOVING"},
		{"PUT", "/lifts/L1/doors/left/hold", token, `{"seconds":5}`, 422, "NO_LANDING"},
		{"DELETE", "/lifts/L1/calls/car/3", token, "", 200, ""},
	} {
		if status, body, _ := call(t, s, c.method, c.path, c.token, c.body); status != c.status || !strings.Contains(body, c.has) {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.body, status, body, c.status, c.has)
		}
	}
	if w.Car("L1").Car.Has(3) {
		t.Error("the call was not taken back")
	}
	all := s.Lift("L1").Writes()
	if len(all) < 5 || all[0].String() != "car call to 3" || all[2].String() != "landing call up at 99, refused" || len(s.Lift("L2").Writes()) != 0 {
		t.Errorf("%v", all)
	}
}

// SM-2: what services do to those who ask.
func TestWebManners(t *testing.T) {
	w, s := webBench(t, ShapeBench)
	token := benchToken(t, s)
	get := func(m WebManners) (int, string, http.Header) {
		s.Behave(m)
		return call(t, s, "GET", "/lifts/L1", token, "")
	}
	if status, body, h := get(WebManners{LoginPage: true}); status != 200 || !strings.Contains(body, "<form") || !strings.HasPrefix(h.Get("Content-Type"), "text/html") {
		t.Errorf("login page: %d %s", status, body)
	}
	if status, body, _ := get(WebManners{ErrorBody: true}); status != 200 || !strings.Contains(body, "E500") || strings.Contains(body, "floor") {
		t.Errorf("error body: %d %s", status, body)
	}
	_, _, _ = get(WebManners{Quota: 1, QuotaAs: 429, RetryAfter: 7 * time.Second})
	if status, _, h := call(t, s, "GET", "/lifts/L1", token, ""); status != 429 || h.Get("Retry-After") != "7" {
		t.Errorf("quota: %d %v", status, h)
	}
	_, _, _ = get(WebManners{Quota: 1, QuotaAs: 401})
	if status, _, h := call(t, s, "GET", "/lifts/L1", token, ""); status != 401 || h.Get("Retry-After") != "" {
		t.Errorf("quota as 401: %d %v", status, h)
	}
	s.Behave(WebManners{DropCalls: true})
	if status, body, _ := call(t, s, "POST", "/lifts/L1/calls", token, `{"kind":"car","floor":3}`); status != 0 || !w.Car("L1").Car.Has(3) {
		t.Errorf("dropped call: %d %s", status, body)
	}
	began := time.Now()
	if status, _, _ := get(WebManners{Drip: time.Millisecond}); status != 200 || time.Since(began) < 100*time.Millisecond {
		t.Errorf("drip: %d in %s", status, time.Since(began))
	}
	s.Behave(WebManners{TokenLife: time.Nanosecond})
	short := benchToken(t, s)
	if status, _, _ := call(t, s, "GET", "/lifts/L1", short, ""); status != 401 {
		t.Errorf("a token that has ended: %d", status)
	}
}

// SM-2: a login that openssl and md5sum made is believed, another signature is not.
func TestYunRChecksSignatures(t *testing.T) {
	_, s := webBench(t, ShapeYunR)
	login := func(script string) string {
		res, err := caller().PostForm("http://"+s.Addr()+"/api/cloud/base/developerLogin", url.Values{"appId": {WebClient}, "encryptType": {"0"}, "encryptScript": {script}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		b, _ := io.ReadAll(res.Body)
		return string(b)
	}
	const good = "tHvvIytGFPcKvhcYL8DgbOCtsDjSfC2VC4VdNe5UonF2q/Keyr5zuZcolQAWXLLMo4BlCLmh3lFj2U+eoYMSLhnCE4SMRGZky+EoXekyQRH8K15r9XKaS0iRSZh/uMn2A9+O0r+eZxvnOqx4dTZpTGNzIoqY6bybhTKSPBW7DSZiRsojjVHd5j8wPzsxC/C6XH5Dj93GlukvyHH/JIAWsQ=="
	const wrong = "tHvvIytGFPcKvhcYL8DgbOCtsDjSfC2VC4VdNe5UonF2q/Keyr5zuZcolQAWXLLM35s2kNquqafJZI6LTzLyOBnCE4SMRGZky+EoXekyQRH8K15r9XKaS0iRSZh/uMn2A9+O0r+eZxvnOqx4dTZpTGNzIoqY6bybhTKSPBW7DSZiRsojjVHd5j8wPzsxC/C6XH5Dj93GlukvyHH/JIAWsQ=="
	const no = `{"encryptScript":"pnidtrdF7u0a4PCOEDVmaNt3Nv+QTkHDqezQjz8ZTDI="}`
	if got := login(good); got == no || !strings.HasPrefix(got, `{"encryptScript":"`) {
		t.Errorf("%s", got)
	}
	if got := login(wrong); got != no {
		t.Errorf("%s, want %s", got, no)
	}
	for _, noise := range []string{"", "AAAA", "*", good[:len(good)-4]} {
		if got := login(noise); got != `{"code":"401","success":false}` {
			t.Errorf("%q: %s", noise, got)
		}
	}
}

// SM-2: the lobby's socket as the vendor's pages show it.
func TestLiftAuthAnswers(t *testing.T) {
	w, s := webBench(t, ShapeLiftAuth)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dial := func(key string) (*websocket.Conn, error) {
		c, _, err := websocket.Dial(ctx, "ws://"+s.Addr()+"/v2?lobbyId=x", &websocket.DialOptions{HTTPClient: caller(), HTTPHeader: http.Header{"Authorization": {key}}})
		return c, err
	}
	if _, err := dial("other"); err == nil {
		t.Fatal("any key is let in")
	}
	c, err := dial(WebSecret)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.CloseNow() }()
	ask := func(id, text, want string) {
		t.Helper()
		if err := c.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		for {
			_, b, err := c.Read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(b), fmt.Sprintf("%q", id)) {
				if !strings.Contains(string(b), want) {
					t.Errorf("%s: %s, want %s", text, b, want)
				}
				return
			}
		}
	}
	ask("a1", `{"requestId":"a1","command":"GET_LIFT_POSITION","parameters":{"liftId":"L1"}}`, `"info":{"currentFloor":0,"isMoving":false}`)
	ask("a2", `{"requestId":"a2","command":"GET_LIFT_POSITION","parameters":{"liftId":"L9"}}`, `"code":"ERROR_NOT_FOUND"`)
	ask("a3", `{"requestId":"a3","command":"GET_DOOR_STATUS","parameters":{"liftId":"L1"}}`, `"doorStatus":"closed"`)
	ask("a4", `{"requestId":"a4","command":"CALL_LIFT","parameters":{"liftId":"L1","targetFloor":2}}`, `"code":"CALL_LIFT_OK"`)
	ask("a5", `{"requestId":"a5","command":"CALL_LIFT","parameters":{"liftId":"L1","targetFloor":99}}`, `"status":"error"`)
	ask("a6", `{"requestId":"a6","command":"ROBOT_MODE_OFF"}`, `"code":"ROBOT_MODE_NOT_ENABLED"`)
	ask("a7", `{"requestId":"a7","command":"ROBOT_MODE_ON","parameters":{"reservedLiftId":"L1"}}`, `"code":"ROBOT_MODE_ON_OK"`)
	ask("a8", `{"requestId":"a8","command":"ROBOT_MODE_ON","parameters":{"reservedLiftId":"L1"}}`, `"code":"ROBOT_MODE_ALREADY_ACTIVE"`)
	ask("a9", `{"requestId":"a9","command":"ROBOT_MODE_OFF"}`, `"code":"ROBOT_MODE_OFF_OK"`)
	if !w.Car("L1").Car.Has(elevator.Floor(3)) {
		t.Error("the call is not there")
	}
	act(t, w, func(b *building.Building) error { return b.CancelCar("L1", 3) })
}
