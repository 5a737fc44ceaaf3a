package commission

import "fmt"

// Finding is one thing that is wrong, or may be: what, where, and what to do.
type Finding struct {
	Code  string `json:"code"` // hoistway help CODE tells more
	What  string `json:"what"`
	Where string `json:"where"`
	Do    string `json:"do"`
	Hint  bool   `json:"hint,omitempty"` // it may be all right
}

func echoes(where string) Finding {
	return Finding{Code: "E-6013", Where: where, What: "what we send comes back to us", Do: "turn the adapter's echo off"}
}

func shared(where string, unit byte, why string) Finding {
	return Finding{Code: "E-6019", Where: fmt.Sprintf("%s unit %d", where, unit), What: "two devices share this id: " + why, Do: "take one of them off the line and give it an id of its own"}
}
