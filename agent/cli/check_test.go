package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hoistway/agent/config"
	"hoistway/drivers/profiles/strict"
)

var twoFaults = []strict.Fault{
	{File: "gw.yaml", Line: 3, Col: 5, Path: "lifts[0].floors", Msg: "floor G stands here twice", Hint: "give each floor a label of its own"},
	{File: "gw.yaml", Line: 9, Col: 1, Path: "rydes", Msg: "unknown key\nin a value"},
}

// A configuration with faults: check and run use the same words.
func TestCheckAndRunTellFaultsInTheSameWords(t *testing.T) {
	const want = `gw.yaml:3:5: lifts[0].floors: floor G stands here twice (give each floor a label of its own)
gw.yaml:9:1: rydes: unknown key in a value
`
	file := emptyFile(t)
	last := "hoistway: E-1002: 2 faults in " + file + "\n"

	a, out, errs := loaded(nil, twoFaults)
	if exit := a.main([]string{"check", "-c", file}); exit != 1 || out.String() != "" || errs.String() != want+last {
		t.Errorf("check: exit %d\n%s%s", exit, out, errs)
	}
	a, out, errs = loaded(nil, twoFaults)
	if exit := a.main([]string{"run", "-c", file}); exit != 1 || out.String() != "" || errs.String() != want+last {
		t.Errorf("run: exit %d\n%s%s", exit, out, errs)
	}
}

func TestCheckAsJSON(t *testing.T) {
	file := emptyFile(t)
	a, out, errs := loaded(nil, twoFaults[:1])
	want := `{
  "file": "` + file + `",
  "fine": false,
  "faults": [
    {
      "file": "gw.yaml",
      "line": 3,
      "col": 5,
      "path": "lifts[0].floors",
      "message": "floor G stands here twice",
      "hint": "give each floor a label of its own"
    }
  ],
  "never": []
}
`
	if exit := a.main([]string{"check", "-c", file, "--json"}); exit != 1 || out.String() != want {
		t.Errorf("exit %d\n%s%s", exit, out, errs)
	}
	if want := "hoistway: E-1002: 1 fault in " + file + "\n"; errs.String() != want {
		t.Errorf("stderr %q, want %q", errs, want)
	}
}

func TestCheckOfAFineFileSaysWhatCanNeverBe(t *testing.T) {
	file := emptyFile(t)
	a, out, errs := loaded(bigRobots(), nil)
	want := file + `: fine: 1 lift, 5 robots, no technicians, cloud at mqtts://b.example
  L1 never permits anything at attic: no door opens there
  L1 never permits wide to enter: it is 0.95 m wide, the door 0.9 m
  L1 never permits long to enter: it measures 0.5 m by 1.5 m, the car 1.1 m by 1.4 m
  L1 never permits heavy to enter: it weighs 700 kg, the car carries 630 kg
  no lift ever permits slow to enter: it crosses in 1m30s, a door is held 1m0s at most
`
	if exit := a.main([]string{"check", "-c", file}); exit != 0 || out.String() != want || errs.String() != "" {
		t.Errorf("exit %d\n%s%s\nwant\n%s", exit, out, errs, want)
	}
}

// What is not told of car or robot says nothing, rather than "does not fit".
func TestNeverIsSilentAboutWhatIsNotTold(t *testing.T) {
	c := bigRobots()
	c.Lifts[0].Car, c.Lifts[0].Floors, c.Rides.HoldLimit = config.Car{}, nil, 0
	if got := never(c); len(got) != 0 {
		t.Errorf("said %q", got)
	}
}

func bigRobots() *config.Config {
	c := &config.Config{Cloud: &config.Cloud{Broker: "mqtts://b.example"}}
	c.Rides.HoldLimit = time.Minute
	c.Lifts = []config.Lift{{
		ID: "L1", Floors: []config.Floor{{Label: "G", Doors: []string{"front"}}, {Label: "attic"}},
		Car: config.Car{WidthM: 1.1, DepthM: 1.4, DoorM: 0.9, LoadKg: 630},
	}}
	c.Robots = []config.Robot{
		{ID: "fits", FootprintM: [2]float64{1.4, 0.9}, MassKg: 630, Crossing: time.Minute},
		{ID: "wide", FootprintM: [2]float64{0.95, 1}},
		{ID: "long", FootprintM: [2]float64{0.5, 1.5}},
		{ID: "heavy", FootprintM: [2]float64{0.5, 0.5}, MassKg: 700},
		{ID: "slow", Crossing: 90 * time.Second},
	}
	return c
}

// loaded is a program whose configuration file reads as c or as faults.
func loaded(c *config.Config, faults []strict.Fault) (a *app, out, errs *bytes.Buffer) {
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	return &app{
		out: out, err: errs, env: func(string) string { return "" }, exit: func(int) {},
		load: func(string) (*config.Config, []strict.Fault) { return c, faults },
	}, out, errs
}

func emptyFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gw.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
