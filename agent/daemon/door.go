package daemon

import (
	"fmt"
	"net"

	"hoistway/agent/config"
	"hoistway/agent/localapi"
)

// door is the listener for others than this machine; the zero value is none.
type door struct {
	listener net.Listener
	cert     *localapi.Certificate
}

func (d door) close() error {
	if d.listener == nil {
		return nil
	}
	return d.listener.Close()
}

// openTLS reads the certificate before anything listens: there is no door without it.
func (a *agent) openTLS() (door, error) {
	t := a.c.API.TLS
	if t == nil {
		return door{}, nil
	}
	cert, err := localapi.NewCertificate(t.CertFile, t.KeyFile)
	if err != nil {
		return door{}, fmt.Errorf("E-1201: API over TLS: %w", err)
	}
	ln, err := a.d.Listen("tcp", t.Listen)
	if err != nil {
		return door{}, fmt.Errorf("E-3004: API over TLS: %w", err)
	}
	return door{ln, cert}, nil
}

// carSizes tells the API what fits into which car, and where no robot may go.
func carSizes(lifts []config.Lift) []localapi.CarSize {
	var out []localapi.CarSize
	for _, l := range lifts {
		size := localapi.CarSize{Lift: l.ID, WidthM: l.Car.WidthM, DepthM: l.Car.DepthM, DoorM: l.Car.DoorM, LoadKg: l.Car.LoadKg}
		for _, f := range l.Floors {
			if f.Closed {
				size.Closed = append(size.Closed, f.Label)
			}
		}
		out = append(out, size)
	}
	return out
}
