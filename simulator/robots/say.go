package robots

import (
	"context"
	"time"
)

const (
	beatEvery  = time.Second
	beatAgain  = 300 * time.Millisecond
	resayPause = 50 * time.Millisecond
	boxRoom    = 16
)

// mouth is what a robot has said and has still to say. Only Run uses it.
type mouth struct {
	boot   string
	seq    uint64
	box    []word    // not heard yet, oldest first
	spoke  time.Time // when the agent last heard anything
	beaten time.Time // when it last tried a heartbeat

	serving   string // ride
	placedFor string // ride for which it was carried to the landing
	readyFor  string // ride
	readyAt   time.Time
	lastDo    string
	hurry     bool              // a heartbeat is due at once
	lost      bool              // muted about its last crossing: does not say where it is
	told      ride              // the ride as the agent last told it
	toldAt    time.Time         // when that was asked
	deaf      time.Time         // since then nobody answers
	claim     Place             // where it says that it is against the truth
	last      word              // the last that was said
	echo      word              // of an older boot, still to come
	grumbled  map[string]string // what it could not do, and the error that was logged
}

// word is a signal on its way.
type word struct {
	ride string
	s    signal
	made time.Time
}

// signal makes a whole report of now, with the next number.
func (r *Robot) signal(kind, permit string) signal {
	r.seq++
	at, sure, _ := r.body.state()
	s := signal{
		Kind: kind, Boot: r.boot, Seq: r.seq, Permit: permit,
		Where: at.Where, Floor: at.Floor, FloorSure: sure && at.Floor != "", Motion: "still",
	}
	if at.Where == inCar {
		sight := r.see(at.Lift, "")
		s.Floor, s.FloorSure, s.Motion = sight.Floor, sight.Floor != "", sight.Motion
		if s.Motion == "" {
			s.Motion = "unknown" // it has no sense for that
		}
	}
	switch m := r.manner(); {
	case m.SaysLeft && r.claim.Where != "":
		s.Where, s.Floor, s.FloorSure, s.Motion = r.claim.Where, r.claim.Floor, true, "still"
	case r.lost && m.Mute != "":
		s.Where, s.Floor, s.FloorSure, s.Motion = nowhere, "", false, "unknown"
	}
	return s
}

func (r *Robot) doorSeen(lift, side string) *door {
	if sight := r.see(lift, side); sight.Open && sight.Floor != "" {
		return &door{Floor: sight.Floor, Side: side, Open: true}
	}
	return nil
}

// say keeps a word until it is heard. A muted one is never said.
func (r *Robot) say(ride string, s signal) {
	if s.Kind == r.manner().Mute {
		return
	}
	r.hurry = false // the word says where it is
	r.box = append(r.box, word{ride: ride, s: s, made: time.Now()})
	if len(r.box) > boxRoom {
		r.o.Log.Warn("too many unheard signals; the oldest is dropped", "kind", r.box[0].s.Kind)
		r.box = r.box[1:]
	}
}

// speak says the kept words in their order, each under its own number as often as
// it takes. A word that the agent refuses is not said again.
func (r *Robot) speak(ctx context.Context) {
	for len(r.box) > 0 && !r.asleep() {
		w := r.box[0]
		err := r.tell(ctx, w)
		if r.complain("say "+w.s.Kind, err) && !isRefusal(err) {
			return
		}
		if err == nil {
			r.heard(w.s.Kind)
		}
		r.box = r.box[1:]
	}
}

// beat says about each second that the robot lives and where it is. It is not kept:
// the next one says all that this one did.
func (r *Robot) beat(ctx context.Context, x ride) {
	due := r.hurry || time.Since(r.spoke) >= beatEvery
	if !due || time.Since(r.beaten) < beatAgain || len(r.box) > 0 || r.asleep() || r.manner().Mute == kindHeartbeat {
		return
	}
	r.beaten = time.Now()
	s := r.signal(kindHeartbeat, "")
	at := r.body.where()
	if (at.Where == atLanding || at.Where == inCar) && x.ID != "" {
		s.SeesDoor = r.doorHere(x, s.Floor)
	}
	err := r.tell(ctx, word{ride: x.ID, s: s, made: r.beaten})
	if !r.complain("give a heartbeat", err) {
		r.hurry = false
		r.heard(kindHeartbeat)
	}
}

// tell says one word, as often as the robot's manner is. Only the first time
// counts: an answer to what was heard already tells nothing new.
func (r *Robot) tell(ctx context.Context, w word) error {
	err := r.utter(ctx, w)
	if err != nil {
		return err
	}
	for range r.times() - 1 {
		_ = r.utter(ctx, w)
	}
	r.last = w
	if late := r.echo; late.made != (time.Time{}) {
		r.echo = word{}
		_ = r.utter(ctx, late) // late as it is, whatever comes of it
	}
	return nil
}

// utter sends a word once; one that has no ride is a sign of life.
func (r *Robot) utter(ctx context.Context, w word) error {
	began, err := time.Now(), error(nil)
	if w.ride == "" {
		err = r.api.heartbeat(ctx, r.o.ID, aged(w.s, w.made))
	} else {
		err = r.api.signal(ctx, w.ride, aged(w.s, w.made))
	}
	r.listened(err, began)
	return err
}

// reboot starts the talking half anew: what was not heard is forgotten, the numbers
// begin again, and the last word of the life before comes once more, late.
func (r *Robot) reboot() {
	r.echo = r.last
	r.boot, r.seq, r.box, r.hurry = newBoot(), 0, nil, true
	r.told = ride{} // and with it the pass
	r.o.Log.Info("starts anew", "boot", r.boot)
}

// doorHere is the door of the ride at the landing where the robot is, with the car or
// before it, if it sees it open.
func (r *Robot) doorHere(x ride, floor string) *door {
	side := x.FromDoor
	if floor != x.From {
		side = x.ToDoor
	}
	if d := r.doorSeen(x.Lift, side); d != nil && d.Floor == floor {
		return d
	}
	return nil
}

func (r *Robot) heard(kind string) {
	r.spoke = time.Now()
	r.die(kind)
}

// aged dates a signal: how old what it says is at this moment.
func aged(s signal, made time.Time) signal {
	s.AgeMs = time.Since(made).Milliseconds()
	return s
}

// complain reports whether there is an error. Each error is logged when it begins.
func (r *Robot) complain(doing string, err error) bool {
	if err == nil {
		delete(r.grumbled, doing)
		return false
	}
	if text := err.Error(); text != r.grumbled[doing] {
		r.grumbled[doing] = text
		r.o.Log.Warn("cannot "+doing, "error", err)
	}
	return true
}
