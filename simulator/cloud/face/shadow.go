package face

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// shadowView is a document. Its tag is the last version that touched desired.
type shadowView struct {
	Serial       string      `json:"serial"`
	Shadow       string      `json:"shadow"`
	Version      int64       `json:"version"`
	Desired      shadow.Tree `json:"desired"`
	Reported     shadow.Tree `json:"reported"`
	Delta        shadow.Tree `json:"delta"`
	Metadata     shadow.Tree `json:"metadata"`
	LastDesired  int64       `json:"last_desired"`
	LastReported int64       `json:"last_reported"`
}

func viewShadow(m ops.Member, d shadow.Document) *shadowView {
	return &shadowView{
		Serial: m.Serial, Shadow: m.Shadow, Version: d.Version, Desired: tree(d.Desired), Reported: tree(d.Reported), Delta: tree(d.Delta()),
		Metadata:    shadow.Tree{"desired": tree(d.DesiredMeta), "reported": tree(d.ReportedMeta)},
		LastDesired: d.LastDesired, LastReported: d.LastReported,
	}
}

func tree(t shadow.Tree) shadow.Tree {
	if t == nil {
		return shadow.Tree{}
	}
	return t
}

func member(a asked) ops.Member {
	return ops.Member{Serial: a.r.PathValue("serial"), Shadow: a.r.PathValue("name")}
}

func tag(version int64) string { return strconv.Quote(strconv.FormatInt(version, 10)) }

func (f *Face) shadow(a asked) (int, any, error) {
	m := member(a)
	var etag string
	f.cloud.Look(func(d cloud.Desk) { etag = tag(d.Ops.DesiredVersion(m)) })
	doc, ok := f.cloud.Document(m.Serial, m.Shadow) // after the tag: never older than what it stands for
	if !ok {
		return 0, nil, &shadow.Rejection{Code: 404, Message: "No shadow exists with that name"}
	}
	a.w.Header().Set("ETag", etag)
	if a.r.Header.Get("If-None-Match") == etag {
		return http.StatusNotModified, nil, nil
	}
	return http.StatusOK, viewShadow(m, doc), nil
}

// wish is an operator's write. Without an intent each field is one of its own.
type wish struct {
	Desired shadow.Tree `json:"desired"`
	Intent  *struct {
		ID       string `json:"id"`
		Priority *int   `json:"priority"`
		TTL      int64  `json:"ttl_s"`
		Batch    string `json:"batch"`
		Sig      any    `json:"sig"`
	} `json:"intent"`
}

// wished is its answer: taken, and how far it is. Queued is not yet in force.
type wished struct {
	Version int64       `json:"version"`
	Online  bool        `json:"online"`
	State   string      `json:"state"`
	Writes  []writeView `json:"writes"`
}

func (f *Face) desire(a asked) (int, any, error) {
	var w wish
	if err := body(a, &w); err != nil {
		return 0, nil, err
	}
	u, err := w.update(a.who.Name)
	if err != nil {
		return 0, nil, err
	}
	m := member(a)
	err = f.act(a, func(d cloud.Desk) (r rules.Result, o ops.Result, err error) {
		doc, _ := d.Rules.Document(m.Serial, m.Shadow)
		if err := condition(a.r, m, doc, d.Ops.DesiredVersion(m)); err != nil {
			return r, o, err
		}
		r, err = d.Rules.Operate(m.Serial, m.Shadow, u, d.Now)
		return r, o, err
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, f.wished(a, m), nil
}

func (w wish) update(by string) (shadow.Update, error) {
	if len(w.Desired) == 0 {
		return shadow.Update{}, &problem{Status: http.StatusUnprocessableEntity, Detail: "desired has no values"}
	}
	if _, headed := w.Desired["_intents"]; headed {
		return shadow.Update{}, &problem{Status: http.StatusUnprocessableEntity, Detail: "write the header as intent, beside desired"}
	}
	if w.Intent == nil {
		return shadow.Update{Desired: w.Desired}, nil
	}
	if !shadow.ValidName(w.Intent.ID) || w.Intent.TTL < 0 {
		return shadow.Update{}, &problem{Status: http.StatusUnprocessableEntity, Detail: "an intent has an id of 1 to 64 of A-Z a-z 0-9 : _ -, and ttl_s of 0 or more"}
	}
	i := cloud.Intent{ID: w.Intent.ID, Priority: cloud.PlainPriority, TTL: time.Duration(w.Intent.TTL) * time.Second, Batch: w.Intent.Batch, By: by, Sig: w.Intent.Sig}
	if w.Intent.Priority != nil {
		i.Priority = *w.Intent.Priority
	}
	if i.Priority < 0 || i.Priority > 9 {
		return shadow.Update{}, &problem{Status: http.StatusUnprocessableEntity, Detail: "priority is 0, promote, to 9"}
	}
	plain, err := shadow.Plain(i.Around(w.Desired))
	if err != nil {
		return shadow.Update{}, &problem{Status: http.StatusUnprocessableEntity, Detail: err.Error()}
	}
	desired, _ := plain.(shadow.Tree)
	return shadow.Update{Desired: desired}, nil
}

// condition holds If-Match and If-None-Match against the last version that touched desired.
func condition(r *http.Request, m ops.Member, doc shadow.Document, version int64) error {
	match, none := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	held := match == "" || match == "*" && doc.Exists() || anyTag(match, tag(version))
	free := none == "" || none == "*" && !doc.Exists() || none != "*" && !anyTag(none, tag(version))
	if held && free {
		return nil
	}
	p := &problem{Status: http.StatusPreconditionFailed, Detail: "desired was last written in version " + strconv.FormatInt(version, 10)}
	if doc.Exists() {
		p.Current = viewShadow(m, doc)
	}
	return p
}

func anyTag(header, want string) bool {
	for t := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(t) == want {
			return true
		}
	}
	return false
}

// wished tells how far the write of this document's version is.
func (f *Face) wished(a asked, m ops.Member) wished {
	out := wished{State: string(rules.WishQueued), Writes: []writeView{}}
	f.cloud.Look(func(d cloud.Desk) {
		out.Version = d.Ops.DesiredVersion(m)
		p, _ := d.Rules.Presence(m.Serial, d.Now)
		out.Online = p.Online
		for _, w := range d.Rules.Wishes(m.Serial) {
			if w.Shadow == m.Shadow && w.Version == out.Version {
				out.Writes = append(out.Writes, viewWrite(w))
				out.State = string(w.State)
			}
		}
	})
	a.w.Header().Set("ETag", tag(out.Version))
	return out
}
