package fieldbus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// peer is a UDP socket of our own address that speaks to one other. What others
// send to it is not ours, unless the other is a group: then any of it may answer.
type peer struct {
	*net.UDPConn
	to netip.AddrPort
}

// listenUDP binds the line's own address, and joins its group.
func listenUDP(ctx context.Context, s Spec) (net.Conn, error) {
	to, err := net.ResolveUDPAddr("udp4", s.Address)
	if err != nil {
		return nil, err
	}
	cfg := net.ListenConfig{}
	if s.Group != "" {
		cfg.Control = func(_, address string, c syscall.RawConn) error { return joinGroup(c, s.Group, address) }
	}
	c, err := cfg.ListenPacket(ctx, "udp4", s.Listen)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UDPConn)
	if !ok {
		return nil, errors.Join(errors.New("no UDP socket"), c.Close())
	}
	return &peer{u, unmapped(to.AddrPort())}, nil
}

func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// joinGroup takes the network card that the own address belongs to, when it has one.
func joinGroup(c syscall.RawConn, group, own string) error {
	var m syscall.IPMreq
	g, err := netip.ParseAddr(group)
	if err != nil {
		return err
	}
	m.Multiaddr = g.As4()
	if a, err := netip.ParseAddrPort(own); err == nil && a.Addr().Is4() {
		m.Interface = a.Addr().As4()
	}
	var joined error
	err = c.Control(func(fd uintptr) {
		joined = syscall.SetsockoptIPMreq(int(fd), syscall.IPPROTO_IP, syscall.IP_ADD_MEMBERSHIP, &m)
	})
	return errors.Join(err, joined)
}

func (p *peer) Read(b []byte) (int, error) {
	for {
		n, from, err := p.ReadFromUDPAddrPort(b)
		if err != nil || p.to.Addr().IsMulticast() || unmapped(from).Addr() == p.to.Addr() {
			return n, err
		}
	}
}

func (p *peer) Write(b []byte) (int, error) { return p.WriteToUDPAddrPort(b, p.to) }

// checkUDP finds own addresses that cannot be, before anything is opened.
func (s Spec) checkUDP() error {
	if s.Listen == "" && s.Group == "" {
		return nil
	}
	if s.Network != UDP {
		return fmt.Errorf("%s: an own address and a group are for UDP only", s.Address)
	}
	if _, err := net.ResolveUDPAddr("udp4", s.Listen); err != nil {
		return fmt.Errorf("%s: own address: %w", s.Address, err)
	}
	if s.Group == "" {
		return nil
	}
	if g, err := netip.ParseAddr(s.Group); err != nil || !g.Is4() || !g.IsMulticast() {
		return fmt.Errorf("%s: %q is no multicast group of IPv4", s.Address, s.Group)
	}
	return nil
}
