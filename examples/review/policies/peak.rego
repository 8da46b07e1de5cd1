# Highest number of connections to a host, by environment. "" is the file without an environment.
package main

import rego.v1

maximum := {"": 100, "staging": 500, "production": 50}

environment := "" if {
	input.environment == null
} else := input.environment

deny contains message if {
	some host, peak in input.load.peak_connections
	peak > maximum[environment]
	message := sprintf("%d connections on %s exceed %d", [peak, host, maximum[environment]])
}
