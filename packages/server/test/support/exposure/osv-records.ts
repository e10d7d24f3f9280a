/** OSV records of the tests of exposure. */

export const HIGH = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N";

/** A record about versions of one package before a fixed one. */
export const osv = (
  id: string,
  ecosystem: string,
  name: string,
  fixed: string | undefined,
  more: object = {},
) => ({
  schema_version: "1.7.0",
  id,
  modified: "2026-03-01T00:00:00Z",
  affected: [
    {
      package: { ecosystem, name },
      ranges: [
        {
          type: "ECOSYSTEM",
          events: [{ introduced: "0" }, ...(fixed === undefined ? [] : [{ fixed }])],
        },
      ],
    },
  ],
  ...more,
});

/** The same record at a later time. */
export const later = (record: object, seconds = 1) => ({
  ...record,
  modified: new Date(Date.parse("2026-03-01T00:00:00Z") + seconds * 1_000).toISOString(),
});
