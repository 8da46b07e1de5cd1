"""
Runs a command in a network with a delay. It requires a network namespace of its own, so that no packet leaves the
machine: unshare --net python3 delayed-network.py MILLISECONDS COMMAND...

The only network device has the address 10.9.0.1. A packet to 10.9.0.2 returns after the delay with its addresses
swapped. A server on 10.9.0.1 is therefore also reachable at 10.9.0.2, with twice the delay as the round-trip time.
"""

import fcntl
import os
import queue
import struct
import subprocess
import sys
import threading
import time

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
MAX_PACKET_BYTES = 65_536

delay = float(sys.argv[1]) / 1000
device = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"delayed", IFF_TUN | IFF_NO_PI))
for command in ("addr add 10.9.0.1/24 dev delayed", "link set delayed up", "link set lo up"):
    subprocess.run(["ip", *command.split()], check=True)
packets = queue.SimpleQueue()


def read_packets():
    while True:
        packet = os.read(device, MAX_PACKET_BYTES)
        # Only IPv4 packets have their addresses here. Swapped addresses do not change the checksums.
        if packet[0] >> 4 == 4:
            packets.put((time.monotonic() + delay, packet[:12] + packet[16:20] + packet[12:16] + packet[20:]))


def return_packets():
    while True:
        due, packet = packets.get()
        time.sleep(max(0, due - time.monotonic()))
        os.write(device, packet)


for loop in (read_packets, return_packets):
    threading.Thread(target=loop, daemon=True).start()
sys.exit(subprocess.run(sys.argv[2:]).returncode)
