import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  ancestorsOf,
  isRoot,
  isSelfOrBelow,
  isUid,
  literalIdentityUid,
  newChildUid,
  newRootUid,
  OPERATOR_UID,
  parentOf,
  rootOf,
  subtreeEnd,
} from "./uid.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const org = newRootUid();
const folder = newChildUid(org);
const repo = newChildUid(folder);

test("new uids are well formed and never the same", () => {
  for (const uid of [org, folder, repo]) assert.ok(isUid(uid), uid);
  assert.notEqual(newRootUid(), newRootUid());
  assert.notEqual(newChildUid(org), newChildUid(org));
});

test("near misses of the uid format are rejected", () => {
  const wrong = ["", "/", org.toUpperCase(), org.slice(1), `${org}/`, `${org}/abc`, `/${org}`];
  for (const text of [...wrong, `${folder}\n`, `${folder}//`, `${org}/${org}`]) {
    assert.ok(!isUid(text), JSON.stringify(text));
  }
});

test("the ancestors can be read from a uid", () => {
  assert.equal(parentOf(repo), folder);
  assert.equal(parentOf(folder), org);
  assert.equal(parentOf(org), "");
  assert.equal(rootOf(repo), org);
  assert.equal(rootOf(org), org);
  assert.deepEqual(ancestorsOf(repo), [folder, org]);
  assert.deepEqual(ancestorsOf(org), []);
  assert.ok(isRoot(org));
  assert.ok(!isRoot(folder));
});

test("a uid is below its ancestors and below nothing else", () => {
  assert.ok(isSelfOrBelow(repo, repo));
  assert.ok(isSelfOrBelow(repo, folder));
  assert.ok(isSelfOrBelow(repo, org));
  assert.ok(!isSelfOrBelow(org, folder));
  assert.ok(!isSelfOrBelow(newChildUid(org), folder));
  assert.ok(!isSelfOrBelow(`${org}0`, org));
});

test("the key range of a subtree holds the subtree and nothing else", () => {
  const step = fc.stringMatching(/^[0-9a-f]{16}$/);
  const uids = fc.array(step, { maxLength: 4 }).map((steps) => [org, ...steps].join("/"));
  const property = fc.property(uids, uids, (uid, top) => {
    assert.equal(uid >= top && uid < subtreeEnd(top), isSelfOrBelow(uid, top));
  });
  fc.assert(property, { seed: SEED });
  assert.ok(repo >= folder && repo < subtreeEnd(folder));
});

test("a person's uid depends on issuer and subject, and on where one ends", () => {
  const uid = literalIdentityUid("https://issuer.example", "alice");
  assert.ok(isUid(uid) && isRoot(uid));
  assert.equal(uid, literalIdentityUid("https://issuer.example", "alice"));
  assert.equal(uid, "ca50b4bc232aad6124ffcf970821d608fa442c20");
  assert.equal(literalIdentityUid("wharf", "operator"), OPERATOR_UID);
  assert.notEqual(literalIdentityUid("a", "bc"), literalIdentityUid("ab", "c"));
  assert.notEqual(literalIdentityUid('a","b', "c"), literalIdentityUid("a", 'b","c'));
  assert.notEqual(literalIdentityUid("a", "\ud800"), literalIdentityUid("a", "\ud801"));
});
