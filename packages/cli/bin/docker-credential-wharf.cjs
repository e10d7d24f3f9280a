#!/usr/bin/env node
// What docker starts to log in to the registry: the command, told which part of it is wanted.
"use strict";
process.argv.splice(2, 0, "auth", "docker-credential");
require("./wharf.cjs");
