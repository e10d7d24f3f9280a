/**
 * Reads a value of a descriptor once: its options are bytes, which take long to decode. Callers mark the call as pure, so
 * that bundles leave out what they do not use.
 */
export function cached<Of extends object, What>(read: (of: Of) => What): (of: Of) => What {
  const known = new WeakMap<Of, { readonly what: What }>();
  return (of) => {
    let entry = known.get(of);
    if (entry === undefined) {
      entry = { what: read(of) };
      known.set(of, entry);
    }
    return entry.what;
  };
}
