import { SelectField, TextArea, TextField } from "../../ui/fields.tsx";
import type { Field } from "./platforms/platform.ts";

/** The control of a field of a platform. */
export function PlatformField({
  field: { name, label, hint, isRequired = false, options, isLong, type = "text" },
}: {
  readonly field: Field;
}) {
  if (options !== undefined) return <SelectField name={name} label={label} options={options} />;
  const shared = { name, label, isRequired, ...(hint !== undefined && { hint }) };
  return isLong ? <TextArea {...shared} /> : <TextField {...shared} type={type} />;
}
