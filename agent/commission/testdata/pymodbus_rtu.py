# A bench of 14 input registers as unit 3, served by pymodbus on a serial port.
import sys
from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
from pymodbus.device import ModbusDeviceIdentification
from pymodbus.server import StartSerialServer
from pymodbus.transaction import ModbusRtuFramer

words = [2, 0, 1, 0, 1, 0, 0, 4000, 75, 0, 0, 0, 0, 0]
unit = ModbusSlaveContext(
    ir=ModbusSequentialDataBlock(0, words), hr=ModbusSequentialDataBlock(0, [0] * 16), zero_mode=True
)
who = ModbusDeviceIdentification()
who.VendorName, who.ProductCode, who.MajorMinorRevision = "Bench", "B2", "1.4"
print("ready", flush=True)
StartSerialServer(
    context=ModbusServerContext(slaves={3: unit}, single=False), framer=ModbusRtuFramer, identity=who,
    port=sys.argv[1], baudrate=9600, timeout=0.05, ignore_missing_slaves=True,
)
