#!/usr/bin/env node
// The credential helper that docker runs to log in to the registry: a subcommand of wharf.
"use strict";
process.argv.splice(2, 0, "auth", "docker-credential");
require("./wharf.cjs");
