"""A Modbus RTU slave by pymodbus on a serial device: holding registers from 0 with the
values of the command line. "get N" on its input prints a register."""
import sys
import threading

from pymodbus.datastore import (
    ModbusSequentialDataBlock,
    ModbusServerContext,
    ModbusSlaveContext,
)
from pymodbus.server import StartSerialServer
from pymodbus.transaction import ModbusRtuFramer

values = [int(v, 0) for v in sys.argv[2:]]
slave = ModbusSlaveContext(hr=ModbusSequentialDataBlock(0, values), zero_mode=True)


def talk():
    for line in sys.stdin:
        word, n = line.split()
        print(slave.getValues(3, int(n), 1)[0], flush=True)


threading.Thread(target=talk, daemon=True).start()
print("ready", flush=True)
StartSerialServer(
    context=ModbusServerContext(slaves=slave, single=True),
    framer=ModbusRtuFramer,
    port=sys.argv[1],
    baudrate=9600,
    timeout=0.02,
)
