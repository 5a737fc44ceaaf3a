// Package localapi is the HTTP door for robots and people on the gateway.
package localapi
