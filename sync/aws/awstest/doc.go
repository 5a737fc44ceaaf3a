// Package awstest is a small stand-in for the public AWS IoT service: device shadows,
// remote commands and jobs of one thing, for tests. It is written from the public pages
// alone, on plain maps: it shares no rule with sync/shadow, knows none of our
// extensions, and writes down whatever the public service would not have understood.
package awstest
