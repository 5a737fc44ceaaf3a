package localapi

import (
	"hoistway/agent/core"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

func (s *Server) showShadow(v *core.View) Shadow {
	out := Shadow{
		At:         s.wall(),
		Configured: v.Cloud, Connected: v.Shadow.Connected, Session: v.Shadow.Session, Epoch: v.Shadow.Epoch,
		Shadows: make([]ShadowDocument, 0, len(v.Shadow.Shadows)),
	}
	out.Beside = s.showBeside(v)
	for i := range v.Shadow.Shadows {
		out.Shadows = append(out.Shadows, showDocument(&v.Shadow.Shadows[i]))
	}
	out.Settings, out.SetAside = showSettings(v), v.FellBack
	return out
}

func showSettings(v *core.View) []Setting {
	out := make([]Setting, 0, len(v.Settings))
	for _, s := range v.Settings {
		from := "file"
		if s.Cloud {
			from = "cloud"
		}
		out = append(out, Setting{Path: s.Path, Value: s.Value, From: from, Batch: s.Batch, By: s.By})
	}
	return out
}

func (s *Server) showBeside(v *core.View) ShadowBeside {
	b := v.Shadow.Beside
	out := ShadowBeside{EventsWaiting: b.Events, EventsDropped: b.Dropped, SamplesDropped: b.Samples, Commands: b.Commands}
	if b.EventsAt != 0 {
		ms := s.o.Now().Sub(elevator.Instant(b.EventsAt)).Milliseconds()
		out.EventsHadMs = &ms
	}
	if v.Drift.Known {
		out.DriftS = &v.Drift.Seconds
	}
	return out
}

func showDocument(d *shadow.ShadowView) ShadowDocument {
	return ShadowDocument{
		Name: d.Name, Version: d.Version, Sync: syncOf(d), Updates: d.Updates, Pending: tree(d.Pending),
		State: ShadowState{Desired: tree(d.Desired), Reported: tree(d.Reported), Delta: tree(d.Delta)},
	}
}

// syncOf tells an answered difference (settled) from agreement (converged): an
// empty delta of a document that was never seen is neither.
func syncOf(d *shadow.ShadowView) string {
	switch {
	case d.Version == 0:
		return "unknown"
	case len(d.Pending) > 0:
		return "differs"
	case len(d.Delta) == 0:
		return "converged"
	case d.Settled:
		return "settled"
	}
	return "differs"
}

func tree(t shadow.Tree) map[string]any {
	if t == nil {
		return map[string]any{}
	}
	return t
}
