"""A Modbus client made of pymodbus alone. It does what it is told on stdin, a line
at a time, and answers each with one line: the values of a read, "ok", or "exception N".

    tcp HOST PORT | rtu PATH
    read ADDRESS COUNT          input registers of unit 1
    write ADDRESS VALUE         one holding register of unit 1
"""

import inspect
import sys

from pymodbus.client import ModbusSerialClient, ModbusTcpClient


def connect(words):
    if words[0] == "tcp":
        client = ModbusTcpClient(words[1], port=int(words[2]), timeout=20)
    else:
        client = ModbusSerialClient(port=words[1], baudrate=9600, parity="N", stopbits=1, timeout=20)
    if not client.connect():
        sys.exit("no connection")
    return client


def unit(call):
    """The name of the unit id has changed with the versions."""
    names = inspect.signature(call).parameters
    return {"device_id": 1} if "device_id" in names else {"slave": 1}


def do(client, words):
    if words[0] == "read":
        call = client.read_input_registers
        answer = call(int(words[1]), count=int(words[2]), **unit(call))
    else:
        call = client.write_register
        answer = call(int(words[1]), int(words[2]), **unit(call))
    if answer.isError():
        return "exception %d" % answer.exception_code if hasattr(answer, "exception_code") else str(answer)
    return " ".join(str(v) for v in answer.registers) if words[0] == "read" else "ok"


client = connect(sys.stdin.readline().split())
print("ok", flush=True)
for line in sys.stdin:
    print(do(client, line.split()), flush=True)
client.close()
