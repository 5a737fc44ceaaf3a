package cli

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// listenOn takes an address, or says why not, for what it was meant and what may be
// done about it. free is how the user writes one that is always to be had.
func listenOn(what, address, free string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, status{exitReach, fmt.Errorf("E-3004: %s: %w\n    %s", what, err, mendPort(address, free, err))}
	}
	return ln, nil
}

// mended adds what may be done about an address that a part of a site could not have;
// other errors are left as they are.
func mended(err error, address, free string) error {
	if !isOfPort(err) {
		return err
	}
	return fmt.Errorf("%w\n    %s", err, mendPort(address, free, err))
}

func isOfPort(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EADDRNOTAVAIL)
}

// mendPort says what may be done about an address that cannot be listened on.
func mendPort(address, free string, err error) string {
	_, port, _ := net.SplitHostPort(address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Sprintf("another program has this port (ss -ltnp sport = :%s shows it): end that, or write another port; 0 takes a free one", port)
	case errors.Is(err, syscall.EACCES):
		return "ports below 1024 are for root: write a higher one"
	}
	return "write another address; " + free + " takes a free port"
}
