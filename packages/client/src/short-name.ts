/**
 * The short name of a method: without the name of the resource.
 *
 * @example shortName("getGroup", "groups") // "get"
 */
export function shortName(method: string, service: string): string {
  const many = service.charAt(0).toUpperCase() + service.slice(1);
  if (method.includes(many)) return method.replace(many, "");
  const one = many.endsWith("ies") ? `${many.slice(0, -3)}y` : many.replace(/s$/, "");
  return method.replace(one, "");
}
