package real

import (
	"context"
	"io"
	"net"

	"hoistway/drivers"
)

// Net carries the bytes between the parts of a site.
type Net struct {
	Listen func(network, address string) (net.Listener, error)
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	// Serial names a serial line: device opens its far end, again after it was closed,
	// and OpenSerial the near end at path. Both nil: pseudo terminals, which the agent
	// opens by itself.
	Serial     func() (path string, device func() (io.ReadWriteCloser, error))
	OpenSerial func(path string, mode drivers.SerialMode) (io.ReadWriteCloser, error)
	// OwnTime says that the site lives in a time of its own, in which the machine's
	// boot clock does not go on.
	OwnTime bool
}

// Sockets is this machine's loopback.
func Sockets() Net {
	return Net{Listen: net.Listen, Dial: (&net.Dialer{}).DialContext}
}
