package shadow

// View copies the state for readers.
func (s *Session) View() View {
	v := View{Connected: s.link.up, Session: s.link.session, Epoch: s.epoch}
	for _, t := range s.twins {
		v.Shadows = append(v.Shadows, t.view())
	}
	v.Beside = s.aside.view()
	return v
}

func (t *twin) view() ShadowView {
	delta := Delta(t.desired, t.acked)
	return ShadowView{
		Name:     t.name,
		Version:  t.high,
		Desired:  Clone(t.desired),
		Reported: Clone(t.acked),
		Delta:    delta,
		Pending:  Clone(t.pending()),
		Settled:  t.settled(delta),
		Updates:  t.updates,
	}
}

// settled: something differs, and each part of it has its final answer.
func (t *twin) settled(delta Tree) bool {
	for name := range delta {
		m, known := t.marks[name]
		f := fieldOf(name, t.desired[name], t.desiredMeta[name])
		if !known || m.Key != f.key || m.Code == ackDone || m.Code == ackPending {
			return false
		}
	}
	return len(delta) > 0
}
