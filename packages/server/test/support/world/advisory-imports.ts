/** Requests of the tests of imports, and their results. */

export const DETECTED = { createTime: "2026-03-01T00:00:00.000Z", detection: { manual: {} } };

export const FIXED = {
  createTime: "2026-03-02T00:00:00.000Z",
  author: "a@example.com",
  fixed: { fixedVersion: "3.1.4-r1" },
};

/** An advisory of a document. */
export const advisory = (advisoryId: string, more: object = {}) => ({
  ...{ advisoryId, artifactType: "apk", artifactName: "openssl", aliases: ["CVE-2026-0001"] },
  ...{ events: [DETECTED], ...more },
});

/** The result of a document that changed nothing, and what is other than that. */
export const plain = (name: string, more: object = {}) => ({
  ...{ name, created: 0, changed: 0, unchanged: 0, vulnerabilitiesChanged: 0, refusals: [] },
  ...{ pendingEvents: 0, ...more },
});
