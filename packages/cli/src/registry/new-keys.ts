const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Whether a file of certificates has one that another has not. Keys that have had their day leave the
 * file some time after a rotation; for that alone nobody need start anew.
 */
export function hasNewKey(published: string, known: string): boolean {
  return (published.match(CERTIFICATE) ?? []).some((one) => !known.includes(one));
}
