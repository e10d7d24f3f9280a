import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { useReported } from "./form-base.tsx";

/** Attributes that connect a control to its label, hint and problem. */
interface Connected {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

/** A control with its label, and a hint and a problem below it. */
function Field({
  name,
  label,
  hint,
  problem,
  children,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly children: (connected: Connected) => ReactNode;
}) {
  const id = useId();
  const visible = useReported(name) ?? problem;
  const described = [
    ...(visible === undefined ? [] : [`${id}-problem`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(described.length > 0 && { "aria-describedby": described.join(" ") }),
        ...(visible !== undefined && { "aria-invalid": true }),
      })}
      {visible !== undefined && (
        <p id={`${id}-problem`} className="problem">
          {visible}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value?: string | undefined;
  readonly isRequired?: boolean;
  /**
   * The problem of a value; undefined if it is valid. It is shown while the user types. A form with a problem cannot be
   * sent.
   */
  readonly check?: ((text: string) => string | undefined) | undefined;
}

/** A text field, whose control gets these attributes. */
function TextControl({
  name,
  label,
  hint,
  value = "",
  isRequired = false,
  check,
  children,
}: TextProps & {
  readonly children: (
    attributes: ComponentProps<"input"> & ComponentProps<"textarea">,
  ) => ReactNode;
}) {
  const [text, setText] = useState(value);
  const problem = check?.(text.trim());
  return (
    <Field name={name} label={label} hint={hint} problem={text === "" ? undefined : problem}>
      {(connected) =>
        children({
          ...connected,
          ref: (control: HTMLInputElement | HTMLTextAreaElement | null) => {
            // On an attempt to send the form, the browser shows the problem at the control.
            control?.setCustomValidity(problem ?? "");
          },
          name,
          defaultValue: value,
          required: isRequired,
          autoComplete: "off",
          spellCheck: false,
          onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
            setText(currentTarget.value),
        })
      }
    </Field>
  );
}

/** A text of one line. */
export function TextField({
  placeholder,
  type = "text",
  autoComplete = "off",
  ...text
}: TextProps & {
  /** The value that an empty field means. */
  readonly placeholder?: string;
  readonly type?: "text" | "date" | "datetime-local" | "password" | "url";
  /** Autofill token for browsers, such as `current-password`. */
  readonly autoComplete?: string;
}) {
  return (
    <TextControl {...text}>
      {(attributes) => (
        <input {...attributes} type={type} placeholder={placeholder} autoComplete={autoComplete} />
      )}
    </TextControl>
  );
}

/** A text of several lines. */
export function TextArea({ rows = 4, ...text }: TextProps & { readonly rows?: number }) {
  return (
    <TextControl {...text}>{(attributes) => <textarea {...attributes} rows={rows} />}</TextControl>
  );
}

/** A choice of a few options. */
export function SelectField({
  name,
  label,
  options,
  value,
  onChange,
}: {
  readonly name: string;
  readonly label: string;
  /** Labels by value. */
  readonly options: Readonly<Record<string, string>>;
  readonly value?: string | undefined;
  readonly onChange?: (value: string) => void;
}) {
  return (
    <Field name={name} label={label}>
      {(connected) => (
        <select
          {...connected}
          name={name}
          defaultValue={value}
          onChange={(event) => onChange?.(event.currentTarget.value)}
        >
          {Object.entries(options).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A checkbox; its value is `on` if it is checked. */
export function CheckField({
  name,
  label,
  hint,
  isChecked = false,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isChecked?: boolean;
}) {
  const id = useId();
  return (
    <div className="check-field">
      <label className="check">
        <input
          type="checkbox"
          name={name}
          defaultChecked={isChecked}
          {...(hint !== undefined && { "aria-describedby": `${id}-hint` })}
        />
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
