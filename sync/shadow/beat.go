package shadow

import (
	"crypto/sha256"
	"encoding/hex"
)

// beat says that this thing lives, and at which versions it believes to be.
func (s *Session) beat() {
	if s.alone() || !s.reached(s.link.beatAt) {
		return
	}
	s.link.beats++
	payload := Tree{
		"epoch": num(s.epoch), "session": num(s.link.session), "seq": num(s.link.beats),
		"self_age_s": num((s.now - s.alive) / second),
	}
	if versions := s.told(); len(versions) > maxBeatVersions {
		payload["digest"] = Digest(versions)
	} else {
		payload["versions"] = versions
	}
	if at := s.clock.ms(s.now); at > 0 {
		payload["sent_at"] = num(at / 1000)
	}
	s.publish(s.token(), s.cfg.Beside+"/"+BesideHeartbeat, Encode(payload), 0, false)
	s.link.beatAt = s.now + s.jitter(beatPeriod, 0.2)
	s.wakeAt(s.link.beatAt)
}

// told are the versions of a beat. Of more than 16 shadows a digest goes out in their
// place: a service that comes to another answers with the versions of all.
func (s *Session) told() Tree {
	s.link.beatTold = map[string]int64{}
	versions := Tree{}
	for _, t := range s.twins {
		s.link.beatTold[t.name] = t.high
		versions[t.name] = num(t.high)
	}
	return versions
}

const maxBeatVersions = 16

// Digest is what stands for the versions of many shadows: the first 16 hexadecimal digits
// of the SHA-256 of their canonical JSON, {"":1487,"L1":9921}.
func Digest(versions Tree) string {
	sum := sha256.Sum256(Encode(versions))
	return hex.EncodeToString(sum[:8])
}

// beatReply pulls what the service holds at another version. A shadow that moved
// since the beat, or has a write in the air, is left for the next one.
func (s *Session) beatReply(t Tree) {
	if at, ok := intOf(t["server_time"]); ok {
		s.clock.told(epochMs(at), s.now)
		s.clock.proven = true
	}
	if seq, ok := intOf(t["seq"]); !ok || uint64(max(seq, 0)) != s.link.beats {
		return
	}
	versions, _ := t["versions"].(Tree)
	for _, tw := range s.twins {
		theirs, ok := intOf(versions[tw.name])
		told, was := s.link.beatTold[tw.name]
		if !ok || !was || theirs == tw.high || told != tw.high || tw.write.flight != nil {
			continue
		}
		s.note("differs", "%s: the service is at version %d, this side at %d", tw.label(), theirs, tw.high)
		tw.read.why = "differs"
	}
}
