-- Which packages images contain, and which vulnerabilities affect them (exposure/, tables in tables/exposure).

-- Recomputations to do (work.ts), written in the transaction of what they follow from. The last position of a long one
-- is in `cursor`; `sequence` tells whether it was requested again meanwhile.
CREATE TABLE exposure_work (
  kind TEXT NOT NULL, key TEXT NOT NULL, due INTEGER NOT NULL, sequence INTEGER NOT NULL, attempts INTEGER NOT NULL,
  cursor TEXT NOT NULL, PRIMARY KEY (kind, key));
CREATE INDEX exposure_work_by_due ON exposure_work (due, kind, key);

-- Images with what is known of their packages (images.ts): one row for each manifest of an image in a repo. `tags` counts
-- the tags of the image and of the indexes that contain it; `tagged` and `untagged` bound the last time with one.
CREATE TABLE exposure_images (
  id INTEGER PRIMARY KEY, repo TEXT NOT NULL, digest TEXT NOT NULL, platform TEXT NOT NULL, state INTEGER NOT NULL,
  reason TEXT NOT NULL, source INTEGER NOT NULL, document TEXT NOT NULL, detail TEXT NOT NULL,
  packages INTEGER NOT NULL, without_purl INTEGER NOT NULL, indexed INTEGER NOT NULL, pushed INTEGER NOT NULL,
  tags INTEGER NOT NULL, tagged INTEGER NOT NULL, untagged INTEGER NOT NULL);
CREATE UNIQUE INDEX exposure_images_by_digest ON exposure_images (repo, digest);
CREATE INDEX exposure_images_by_state ON exposure_images (state, id) WHERE state <> 2;

-- The images of indexes.
CREATE TABLE image_indexes (
  repo TEXT NOT NULL, image TEXT NOT NULL, index_digest TEXT NOT NULL,
  PRIMARY KEY (repo, image, index_digest)) WITHOUT ROWID;
CREATE INDEX image_indexes_by_index ON image_indexes (repo, index_digest);

-- Documents about images that were uploaded (documents.ts), compressed; attached ones are in their registry.
CREATE TABLE image_documents (
  repo TEXT NOT NULL, digest TEXT NOT NULL, kind TEXT NOT NULL, document TEXT NOT NULL, media_type TEXT NOT NULL,
  content BLOB NOT NULL, time INTEGER NOT NULL, author TEXT NOT NULL,
  PRIMARY KEY (repo, digest, kind));

-- Package versions (package-versions.ts), stored once for all images. `key` is a hash of all that is said of one.
CREATE TABLE package_versions (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, purl TEXT NOT NULL, ecosystem TEXT NOT NULL, release TEXT NOT NULL,
  name TEXT NOT NULL, version TEXT NOT NULL, origin TEXT NOT NULL, origin_version TEXT NOT NULL,
  license TEXT NOT NULL, detail TEXT NOT NULL);
CREATE UNIQUE INDEX package_versions_by_key ON package_versions (key);
CREATE INDEX package_versions_by_name ON package_versions (name, ecosystem);
CREATE INDEX package_versions_by_origin ON package_versions (origin, ecosystem) WHERE origin <> '';

-- Package versions of images. `owner` is the version of the distribution's package that contains this one, or 0.
CREATE TABLE image_packages (
  version INTEGER NOT NULL, image INTEGER NOT NULL, owner INTEGER NOT NULL, location TEXT NOT NULL,
  PRIMARY KEY (version, image)) WITHOUT ROWID;
CREATE INDEX image_packages_by_image ON image_packages (image, version);

-- Statements of VEX documents that are attached to images or uploaded.
CREATE TABLE image_statements (
  image INTEGER NOT NULL, position INTEGER NOT NULL, statement TEXT NOT NULL,
  PRIMARY KEY (image, position)) WITHOUT ROWID;

-- Records of vulnerabilities by package (records.ts), derived from advisories; they apply to the images at and below the
-- group. `release` is the ecosystem with its release, `affected` is JSON as OSV has it. An advisory about packages of
-- several distributions has a record for each.
CREATE TABLE vulnerability_records (
  id INTEGER PRIMARY KEY, advisory TEXT NOT NULL, group_uid TEXT NOT NULL, ecosystem TEXT NOT NULL,
  package TEXT NOT NULL, release TEXT NOT NULL, affected TEXT NOT NULL, status INTEGER NOT NULL,
  severity INTEGER NOT NULL, score TEXT NOT NULL, updated INTEGER NOT NULL, detail TEXT NOT NULL);
CREATE INDEX vulnerability_records_by_advisory ON vulnerability_records (advisory);
CREATE INDEX vulnerability_records_by_package ON vulnerability_records (package, ecosystem);

-- Names of the vulnerabilities of records (record-names.ts): all names of one vulnerability, or those of a notice about
-- several, by `role`.
CREATE TABLE vulnerability_record_names (
  record INTEGER NOT NULL, name TEXT NOT NULL, role INTEGER NOT NULL, PRIMARY KEY (record, name)) WITHOUT ROWID;
CREATE INDEX vulnerability_record_names_by_name ON vulnerability_record_names (name, record);

-- Package versions that a record is about: affected, expressly not affected, or not comparable.
CREATE TABLE vulnerability_matches (
  record INTEGER NOT NULL, version INTEGER NOT NULL, state INTEGER NOT NULL, matched_by INTEGER NOT NULL,
  fixed TEXT NOT NULL, detail TEXT NOT NULL, PRIMARY KEY (record, version)) WITHOUT ROWID;
CREATE INDEX vulnerability_matches_by_version ON vulnerability_matches (version, record);

-- Findings (findings.ts): what follows from all of this for an image. Resolved ones remain, with the time.
CREATE TABLE findings (
  image INTEGER NOT NULL, vulnerability TEXT NOT NULL, version INTEGER NOT NULL, status INTEGER NOT NULL,
  severity INTEGER NOT NULL, fixable INTEGER NOT NULL, first_seen INTEGER NOT NULL, resolved INTEGER NOT NULL,
  detail TEXT NOT NULL, PRIMARY KEY (image, vulnerability, version)) WITHOUT ROWID;
CREATE INDEX findings_by_vulnerability ON findings (vulnerability, image);
CREATE INDEX findings_by_version ON findings (version, image);

-- Open findings of an image by severity, for overviews; `severity` 0 to 5.
CREATE TABLE finding_counts (
  image INTEGER NOT NULL, severity INTEGER NOT NULL, open INTEGER NOT NULL, fixable INTEGER NOT NULL,
  suppressed INTEGER NOT NULL, PRIMARY KEY (image, severity)) WITHOUT ROWID;

-- Images in use of a repo with a vulnerability that the last event has announced: more of them are the next event, and none.
CREATE TABLE finding_announcements (
  repo TEXT NOT NULL, vulnerability TEXT NOT NULL, images INTEGER NOT NULL,
  PRIMARY KEY (repo, vulnerability)) WITHOUT ROWID;

-- Facts about vulnerabilities, whatever they affect: exploited (CISA KEV), probability (EPSS).
CREATE TABLE vulnerability_facts (
  name TEXT PRIMARY KEY, exploited INTEGER NOT NULL, probability INTEGER NOT NULL, percentile INTEGER NOT NULL,
  updated INTEGER NOT NULL);

-- Reports of scanners about images: the latest of each day and scanner.
CREATE TABLE scan_reports (
  repo TEXT NOT NULL, digest TEXT NOT NULL, scanner TEXT NOT NULL, time INTEGER NOT NULL, version TEXT NOT NULL,
  database_time INTEGER NOT NULL, author TEXT NOT NULL, author_name TEXT NOT NULL, size INTEGER NOT NULL,
  summary TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (repo, digest, scanner, time));

-- The imports of vulnerability sources (source-states.ts). `position` is how far the import is, as JSON of its kind.
CREATE TABLE vulnerability_source_states (
  uid TEXT PRIMARY KEY, due INTEGER NOT NULL, attempted INTEGER NOT NULL, succeeded INTEGER NOT NULL,
  data_time INTEGER NOT NULL, failing_since INTEGER NOT NULL, failures INTEGER NOT NULL, alerted INTEGER NOT NULL,
  error_code TEXT NOT NULL, error TEXT NOT NULL, result TEXT NOT NULL, position TEXT NOT NULL);
CREATE INDEX vulnerability_source_states_by_due ON vulnerability_source_states (due, uid);

-- The images that are stored already (exposure/inventory/backfill.ts).
INSERT INTO exposure_work (kind, key, due, sequence, attempts, cursor) VALUES ('backfill', '', 0, 1, 0, '');
