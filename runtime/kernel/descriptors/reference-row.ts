/** A field of a struct that names another object. Fields beside it are those of the struct that the name stands in. */
export interface ReferenceRow {
  /** The path of the name from the struct on: `secretName`, `tls[].secretName`. */
  readonly field: string
  /** The kind of what is named. */
  readonly kind?: string
  /** The field beside it that has the kind. */
  readonly kindField?: string
  /** The group of the kind; without it and `groupField`, the core group. */
  readonly group?: string
  /** The field beside it that has the group, or a group and version. Where it is absent, the kind may be of any group. */
  readonly groupField?: string
  /** The field beside it that has the namespace. Default: that of the object. */
  readonly namespaceField?: string
  /** The path of keys that the named object has: `key`, `items[].key`. */
  readonly keys?: string
  /** The only kind that counts, of a `kindField` that may also name what is no object. */
  readonly only?: string
  /** Names that are always there; a `*` at the end is the rest of a name. */
  readonly always?: readonly string[]
}
