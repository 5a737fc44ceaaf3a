#!/usr/bin/env python3
"""A whole robot client in a page, with nothing but the standard library.

It asks for one ride and does what it is told until the ride is over:

    HOISTWAY_API=http://127.0.0.1:8732 HOISTWAY_TOKEN=... python3 robot.py R1 G 2
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

API, TOKEN = os.environ.get("HOISTWAY_API", "http://127.0.0.1:8732"), os.environ.get("HOISTWAY_TOKEN", "")
CROSSING = 1.0  # seconds that this robot takes through a door line


class Refused(Exception):
    """A problem document: code, title, detail."""


def call(method, path, body=None):
    request = urllib.request.Request(API + path, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + TOKEN)
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=2) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        problem = json.load(refusal)
        raise Refused("{code}: {title}: {detail}".format(**{"detail": "", **problem})) from None


class Robot:
    def __init__(self, name):
        self.name = name
        self.boot = "%x" % time.time_ns()  # another word after each start
        self.seq = 0  # counts over all signals of one boot
        self.where = "landing"  # what the robot knows by itself: landing, doorway, car or unknown

    def say(self, ride, kind, permit=None):
        """Send one whole, dated signal; False when it was not heard."""
        self.seq += 1
        signal = {"kind": kind, "boot": self.boot, "seq": self.seq, "age_ms": 0, "where": self.where}
        signal["motion"] = "unknown" if self.where == "car" else "still"
        if permit:
            signal["permit"] = permit
        try:
            call("POST", "/v1/rides/" + ride + "/signals", signal)
            return True
        except (OSError, Refused) as fault:
            print(kind, "was not taken:", fault, file=sys.stderr)
            return False

    def cross(self, ride, now, asked):
        """Go through the door line, if the permit is live and there is time enough."""
        begin, end, beyond = ("entering", "entered", "car")
        if now["do"]["do"] == "leave":
            begin, end, beyond = ("leaving", "left", "landing")
        permit, late = now["permit"], time.monotonic() - asked
        if not permit or late > permit["start_within_ms"] / 1000 or late + CROSSING > permit["through_within_ms"] / 1000:
            return
        was, self.where = self.where, "doorway"
        if not self.say(ride, begin, permit["id"]):  # not heard: do not go
            self.where = was
            return
        time.sleep(CROSSING)  # here the robot drives, and watches the door with its own eyes
        self.where = beyond
        while not self.say(ride, end):  # this must be heard: the door is held until then
            time.sleep(0.2)

    def take(self, start, goal):
        """Ride from one floor to another; gives the phase in which the ride ended."""
        ride = self.name + "-" + self.boot  # an id of our own: the request may be repeated without a second ride
        call("POST", "/v1/rides", {"ride_id": ride, "robot": self.name, "lift": "any", "from": start, "to": goal, "crossing_s": 4})
        told, spoke = "", time.monotonic()
        while True:
            time.sleep(0.15)
            asked = time.monotonic()  # a permit's times count from here at the earliest
            try:
                now = call("GET", "/v1/rides/" + ride)
            except (OSError, Refused):
                continue  # no news is no order: stay where you are, and ask again
            if now["state"] == "DONE":
                return now["phase"]
            if now["do"]["do"] != told:
                told = now["do"]["do"]
                print(now["state"], told + ":", now["do"]["why"], flush=True)
            if told == "go_to":  # asked for with "ready": false, and the lift is near
                self.say(ride, "ready")
            elif (told, self.where) in (("enter", "landing"), ("leave", "car")):
                self.cross(ride, now, asked)
            elif time.monotonic() - spoke > 1:
                self.say(ride, "heartbeat")
                spoke = time.monotonic()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: robot.py ROBOT FROM TO")
    try:
        phase = Robot(sys.argv[1]).take(sys.argv[2], sys.argv[3])
    except Refused as refusal:
        sys.exit(str(refusal))
    if phase != "arrived":
        sys.exit("not there: " + phase)
    print("arrived at", sys.argv[3])
