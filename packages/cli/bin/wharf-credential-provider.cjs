#!/usr/bin/env node
// The credential provider plugin that the kubelet starts to get the credentials of an image.
"use strict";
process.argv.splice(2, 0, "auth", "kubelet-credential");
require("./wharf.cjs");
