import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { DescMethod } from "@bufbuild/protobuf";
import { isScope } from "@wharf/contract";
import { Http } from "../../../server/test/support/client/http.ts";
import { httpRequestOf } from "../../../server/test/support/client/transcoding.ts";
import { changesSince, storeDigest } from "../../../server/test/support/fuzz/store-digest.ts";
import { openHarmless } from "../support/hostile/harmless.ts";
import {
  type Body,
  choicesOf,
  isAbout,
  nameOf,
  type TextField,
  textFieldsOf,
  WRITES,
  withText,
} from "../support/hostile/text-fields.ts";
import { TEXTS, type TextName } from "../support/hostile/texts.ts";
import { createEach, type Written, writtenBy } from "../support/hostile/written.ts";
import { ConsoleSite } from "../support/site.ts";

/** What is written beside a rejected request: its entry in the audit log, and what the server does by itself. */
const BESIDE = /audit|denial|session|lease|deliver|subscription_state|event_cursor/;

/** The texts in which a resource is also seen in its other shapes: of an identity, trust by patterns or keys. */
const OTHER_SHAPES: ReadonlySet<TextName> = new Set(["markup", "long"]);

const ALL = Object.entries(TEXTS) as [TextName, string][];

/** A request with as many texts as fit into one. */
interface Filled {
  request: Body;
  readonly choices: Map<string, string>;
}

describe("hostile texts in everything that people can write", () => {
  let site: ConsoleSite;
  let organization: string;
  let written: Readonly<Record<string, Written>>;
  /** The methods that have accepted a text. */
  const wrote = new Set<DescMethod>();
  before(async () => {
    site = await ConsoleSite.start();
    ({ organization } = site);
    written = writtenBy(await createEach(site.world, organization));
    await site.signInAt();
  });
  after(() => site.stop());

  const send = (method: DescMethod, request: Body, http = site.world.http) => {
    const { verb, path, body } = httpRequestOf(method, request);
    return http.send(verb, path, body);
  };

  /** Deletes what was created, where it can be deleted: there may be one only. */
  async function remove(create: DescMethod, { uid, id }: Body): Promise<void> {
    const wanted = create.name.replace("Create", "Delete");
    const method = create.parent.methods.find(({ name }) => name === wanted);
    if (wanted === create.name || method === undefined) return;
    const field = method.input.fields.find(isScope)?.jsonName ?? "";
    const { status, body } = await send(method, { [field]: uid ?? id });
    assert.equal(status, 200, JSON.stringify(body));
  }

  const isExcepted = ({ exceptions = {} }: Written, { label }: TextField) =>
    Object.keys(exceptions).some((one) => label === one || label.startsWith(`${one}.`));

  /** Tries each text in each field, as a dry run; returns which are accepted, and the requests that are not. */
  async function tryEach(method: DescMethod, one: Written) {
    const { server } = site.world;
    const trying = new Http(server.url, site.world.operator().token, { "wharf-dry-run": "true" });
    const accepted: [TextName, TextField][] = [];
    const rejected: Body[] = [];
    for (const field of textFieldsOf(method.input)) {
      if (isExcepted(one, field)) continue;
      for (const [name, text] of ALL) {
        const request = withText(one.request(), field, text, one.around);
        const { status, body } = await send(method, request, trying);
        const about = `${name} in ${nameOf(method)} ${field.label}: ${JSON.stringify(body)}`;
        if (status === 200) {
          accepted.push([name, field]);
          continue;
        }
        assert.deepEqual([status, body.code], [400, 3], about);
        const violations = body.details.flatMap((detail: Body) => detail.fieldViolations ?? []);
        assert.ok(
          violations.some((violation: Body) => isAbout(violation.field, field, text)),
          about,
        );
        rejected.push(request);
      }
    }
    return { accepted, rejected };
  }

  /** Requests with a text in all fields that accept it: one for each combination of oneofs. */
  function filledWith(text: string, fields: readonly TextField[], one: Written): readonly Body[] {
    const all: Filled[] = [];
    for (const field of fields) {
      const choices = choicesOf(field);
      const fits = (filled: Filled) =>
        [...choices].every(([oneof, name]) => (filled.choices.get(oneof) ?? name) === name);
      let filled = all.find(fits);
      if (filled === undefined) {
        filled = { request: one.request(), choices: new Map() };
        all.push(filled);
      }
      filled.request = withText(filled.request, field, text, one.around);
      for (const [oneof, name] of choices) filled.choices.set(oneof, name);
    }
    return all.map(({ request }) => request);
  }

  test("all methods and exceptions are those of the contract", () => {
    assert.deepEqual(Object.keys(written).sort(), WRITES.map(nameOf).sort());
    for (const method of WRITES) {
      const { exceptions = {} } = written[nameOf(method)] as Written;
      const fields = textFieldsOf(method.input);
      for (const one of Object.keys(exceptions)) {
        const isKnown = fields.some(({ label }) => label === one || label.startsWith(`${one}.`));
        assert.ok(isKnown, `${nameOf(method)} has no ${one}`);
      }
    }
  });

  for (const method of WRITES) {
    test(`${nameOf(method)}: texts are rejected with their field, or shown as text`, async () => {
      const one = written[nameOf(method)] as Written;
      const { world, page } = site;
      // A screen would follow everything that changes.
      await page.goto("about:blank");
      const { accepted, rejected } = await tryEach(method, one);
      const before = await storeDigest(world.server, "", BESIDE);
      for (const request of rejected) assert.equal((await send(method, request)).status, 400);
      assert.deepEqual(changesSince(before, await storeDigest(world.server, "", BESIDE)), []);
      if (accepted.length > 0) wrote.add(method);
      const shown = new Set<string>();
      for (const [name, text] of ALL) {
        const fields = accepted.filter(([which]) => which === name).map(([, field]) => field);
        for (const [at, request] of filledWith(text, fields, one).entries()) {
          if (at > 0 && !OTHER_SHAPES.has(name)) continue;
          const { status, body } = await send(method, request);
          assert.equal(status, 200, JSON.stringify(body));
          const screen = one.screen?.(body);
          // Of what has no screen, there may be one only.
          if (screen === undefined) await remove(method, body);
          else if (one.isList) shown.add(screen);
          else await isShown(screen, name, one);
        }
      }
      for (const screen of shown) await isShown(screen, "markup", one);
    });
  }

  async function isShown(screen: string, name: TextName, { hidesMarkup = false }: Written) {
    const text = await openHarmless(site, screen);
    if (name !== "markup" || hidesMarkup) return;
    assert.ok(text.includes("onerror=alert(1)"), `${screen} does not show the text`);
  }

  test("are text in lists and events", async () => {
    const lists = ["folders", "access", "people", "identities", "roles", "providers", "repos"];
    const more = ["events", "subscriptions", "audit", "advisories"];
    for (const screen of [...lists, ...more]) await openHarmless(site, `${screen}/${organization}`);
    await openHarmless(site, `advisories/${organization}?tab=reviews`);
    const { body } = await site.world.http.get(`/events/v2beta1/events/${organization}`);
    // One of each resource: `dev.chainguard.api.iam.group` of `dev.chainguard.api.iam.group.created.v1`.
    const resourceOf = ({ type }: Body) => type.split(".").slice(0, -2).join(".");
    const events = new Map(body.events.map((event: Body) => [resourceOf(event), event]));
    assert.ok(events.size >= 3, [...events.keys()].join());
    for (const { group, id } of events.values() as Iterable<Body>) {
      await openHarmless(site, `event/${group}/${id}`);
    }
  });

  test("are text in the audit log", async () => {
    assert.ok(wrote.size > 15, [...wrote].map(nameOf).join());
    // One of each service: an update, which shows what was there before, if it has one.
    for (const method of new Map([...wrote].map((one) => [one.parent, one])).values()) {
      // Packages are of the whole installation.
      if (method.parent.name === "PackagesService") continue;
      const filter = `filter.method=${method.name}&filter.resource=${organization}`;
      const { body } = await site.world.http.get(`/audit/v2beta1/entries?${filter}`);
      const [entry] = body.entries;
      assert.ok(entry, `no entry of ${nameOf(method)}`);
      await openHarmless(site, `audit-entry/${organization}/${entry.uid}`);
    }
  });
});
