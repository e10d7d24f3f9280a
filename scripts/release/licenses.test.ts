import assert from "node:assert/strict";
import { test } from "node:test";
import type { BuildResult } from "esbuild";
import { licensesOf } from "./licenses.ts";

test("licenses of works that a package contains are quoted in full", () => {
  const inputs = { "node_modules/jq-wasm/dist/inline.cjs": {}, "node_modules/yaml/dist/x.js": {} };
  const text = licensesOf([{ metafile: { inputs } } as unknown as BuildResult]);
  assert.match(text, /^jq-wasm 3\.\S+ \(MIT\)$/m);
  assert.match(text, /^yaml 2\.\S+ \(ISC\)$/m);
  for (const holder of [
    "Copyright (c) 2024 Owen Ou",
    "jq is copyright (C) 2012 Stephen Dolan",
    "Copyright (c) 1991, 2000, 2001 by Lucent Technologies.",
    "Copyright (c) 1995-2005 International Business Machines Corporation and others",
    "Copyright (c) 1997, 1998, 2005, 2008 The NetBSD Foundation, Inc.",
    "Copyright (c) 2002-2021  K.Kosako",
  ])
    assert.ok(text.includes(holder), holder);
  // The notice of dtoa.c asks for itself as a whole.
  assert.ok(text.includes("OF THIS SOFTWARE OR ITS FITNESS FOR ANY PARTICULAR PURPOSE."));
});
