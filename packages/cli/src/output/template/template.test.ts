import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "./template.ts";

const ROLE = {
  uid: "4f",
  name: "acme",
  description: "",
  verified: true,
  count: 0,
  group: { name: "parent" },
  capabilities: ["groups.list", "groups.create"],
  bindings: [{ role: "owner" }, { role: "viewer" }],
  limits: { groups: 1, repos: 2 },
};

const CASES: readonly (readonly [template: string, shown: string])[] = [
  ["{{.uid}} {{.name}}", "4f acme"],
  ["{{ .group.name }}", "parent"],
  ["{{.missing}}|{{.group.missing.deeper}}", "|"],
  ["{{.toString}}{{.name.length}}", ""],
  ["{{range .capabilities}}<{{.}}>{{end}}", "<groups.list><groups.create>"],
  ["{{range .bindings}}{{.role}}@{{$.name}} {{end}}", "owner@acme viewer@acme "],
  ["{{range .limits}}{{.}},{{end}}", "1,2,"],
  ["{{range .missing}}x{{else}}none{{end}}", "none"],
  ["{{if .verified}}yes{{else}}no{{end}}", "yes"],
  ["{{if .count}}some{{else if .description}}text{{else}}nothing{{end}}", "nothing"],
  ['{{if eq .name "beta" "acme"}}one{{end}}', "one"],
  ['{{if ne .name "acme"}}other{{else}}same{{end}}', "same"],
  ["{{if and .verified (not .count)}}ok{{end}}", "ok"],
  ["{{or .description .name}}", "acme"],
  ['{{.description | default "none" | upper}}', "NONE"],
  ['{{join ", " .capabilities}}', "groups.list, groups.create"],
  ['{{.capabilities | join "+"}}', "groups.list+groups.create"],
  ["{{json .limits}}", '{"groups":1,"repos":2}'],
  ["{{json .missing}}", "null"],
  ["{{len .capabilities}} {{len .name}}", "2 4"],
  ["{{.name | upper | lower}}", "acme"],
  ["a\\tb\\nc\\\\d", "a\tb\nc\\d"],
  ["a  {{- .name -}}  b", "aacmeb"],
  ["{{/* nothing */}}x", "x"],
  ['{{"}}"}}', "}}"],
  ["{{`a\\b`}}", "a\\b"],
  ["no actions", "no actions"],
];

for (const [template, shown] of CASES) {
  test(`${template} shows ${JSON.stringify(shown)}`, () => {
    assert.equal(compileTemplate(template)(ROLE), shown);
  });
}

const MISTAKES: readonly (readonly [template: string, message: string])[] = [
  ["{{.uid", "{{ without }} at position 1"],
  ["ab {{.uid | foo}}", "unknown function foo ("],
  ["{{if .a}}x", "{{if}} without {{end}} at position 1"],
  ["x{{end}}", "{{end}} without {{if}} or {{range}} at position 2"],
  ["{{else}}", "{{else}} without {{if}} or {{range}} at position 1"],
  ["{{}}", "nothing between {{ and }} at position 1"],
  ["{{.a .b}}", "a function is missing before several values at position 3"],
  ["{{.a | .b}}", ".b is not a function at position 8"],
  ["{{upper}}", "upper takes 1 arguments, not 0 at position 3"],
  ["{{.a & .b}}", 'unexpected "&" at position 6'],
  ["{{upper (.a}}", "unbalanced parentheses at position 1"],
  ["{{upper name}}", "name must be in parentheses, or a field such as .name at position 9"],
  ["{{.a |}}", "a value is missing at position 1"],
  ["{{constructor .a}}", "unknown function constructor ("],
];

for (const [template, message] of MISTAKES) {
  test(`${template} is rejected: ${message}`, () => {
    assert.throws(
      () => compileTemplate(template),
      (error: Error) => error.message.startsWith(`--format: ${message}`),
    );
  });
}
