package fieldbus

import (
	"io"

	"hoistway/drivers"
)

// OpenSerial opens a serial port as a line does, for those who must listen before
// they speak. The port is the caller's, alone; Close ends a Read under way.
func OpenSerial(path string, m drivers.SerialMode) (io.ReadWriteCloser, error) {
	return openPort(path, m)
}
