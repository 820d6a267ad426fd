/** Short words for schemas of definitions, and what a definition of a style is made of. */

export type Schema = Readonly<Record<string, unknown>>

/** A definition in the style of a sort of project, with an object of it that is right and one that is not. */
export interface Style {
  readonly kind: string
  readonly group: string
  readonly definition: object
  readonly good: object
  readonly bad: object
  /** What is said about the bad one, in part. */
  readonly refusal: string
}

/** What a style says; the rest follows. */
export interface StyleFacts {
  readonly kind: string
  readonly group: string
  readonly spec: Schema
  readonly status?: Schema
  readonly scope?: 'Cluster' | 'Namespaced'
  readonly names?: object
  /** Names of its versions, the stored one first. */
  readonly versions?: readonly string[]
  readonly version?: object
  readonly root?: object
  readonly good: object
  readonly bad: object
  readonly refusal: string
}

/** A definition of one style with a good object and a bad one, and what the bad one is refused with. */
export function style(facts: StyleFacts): Style {
  const { kind, group, spec, status, versions = ['v1'], good, bad } = facts
  const plural = `${kind.toLowerCase()}s`
  const schema = object(
    { spec, ...(status && { status }) },
    { description: about(kind), ...facts.root },
  )
  const object_ = (name: string, inner: object) => ({
    apiVersion: `${group}/${versions[0]}`,
    kind,
    metadata: { name, labels: { style: kind.toLowerCase() } },
    spec: inner,
  })
  return {
    kind,
    group,
    refusal: facts.refusal,
    good: object_('good', good),
    bad: object_('bad', bad),
    definition: {
      apiVersion: 'apiextensions.orch.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: facts.scope ?? 'Namespaced',
        names: { plural, kind, ...facts.names },
        versions: versions.map((name, index) => ({
          name,
          served: true,
          storage: index === 0,
          schema: { openAPIV3Schema: schema },
          ...(status && { subresources: { status: {} } }),
          ...facts.version,
        })),
      },
    },
  }
}

function about(kind: string): string {
  return `${kind} is declared by a team and brought about by the controller that watches it.`
}

/** The schema of a struct. */
export function object(properties: Schema, more: object = {}): Schema {
  return { type: 'object', properties, ...more }
}

/** The schema of a list. */
export function list(items: Schema, more: object = {}): Schema {
  return { type: 'array', items, ...more }
}

/** The schema of a map with keys of any text. */
export function map(values: Schema, more: object = {}): Schema {
  return { type: 'object', additionalProperties: values, ...more }
}

/** A list whose items are told apart by some of their fields. */
export function keyed(keys: readonly string[], items: Schema, more: object = {}): Schema {
  return list(items, { 'x-orch-list-type': 'map', 'x-orch-list-map-keys': keys, ...more })
}

/** The schema of a text. */
export function text(more: object = {}): Schema {
  return { type: 'string', ...more }
}

/** The schema of a text with a fixed set of values. */
export function oneOf(...values: readonly string[]): Schema {
  return { type: 'string', enum: values }
}

/** The schema of an integer. */
export function whole(more: object = {}): Schema {
  return { type: 'integer', ...more }
}

/** The schema of a boolean. */
export function flag(more: object = {}): Schema {
  return { type: 'boolean', ...more }
}

/** Rules, as the key of a schema that holds them. */
export function rules(...all: readonly (readonly [rule: string, message: string])[]): object {
  return { 'x-orch-validations': all.map(([rule, message]) => ({ rule, message })) }
}

/** The schema of a number or a text, such as a port or a percentage. */
export const intOrString: Schema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-orch-int-or-string': true,
}

/** The schema of an object whose fields are not known. */
export const anything: Schema = { type: 'object', 'x-orch-preserve-unknown-fields': true }

/** The schema of a label selector. */
export const selector: Schema = object(
  {
    matchLabels: map(text()),
    matchExpressions: list(
      object(
        { key: text(), operator: text(), values: list(text(), { 'x-orch-list-type': 'atomic' }) },
        { required: ['key', 'operator'] },
      ),
      { 'x-orch-list-type': 'atomic' },
    ),
  },
  { 'x-orch-map-type': 'atomic' },
)

/** The schema of a reference to one key of a secret. */
export const secretKey: Schema = object(
  { name: text({ default: '' }), key: text({ minLength: 1 }) },
  { required: ['key'], 'x-orch-map-type': 'atomic' },
)

/** Conditions as controllers write them. */
export const conditions: Schema = keyed(
  ['type'],
  object(
    {
      type: text({ maxLength: 316 }),
      status: oneOf('True', 'False', 'Unknown'),
      reason: text({
        maxLength: 1024,
        minLength: 1,
        pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      }),
      message: text({ maxLength: 32768 }),
      observedGeneration: whole({ format: 'int64', minimum: 0 }),
      lastTransitionTime: text({ format: 'date-time' }),
    },
    { required: ['type', 'status'] },
  ),
)

/** The schema of an amount such as `500m` or `1Gi`. */
export const quantity: Schema = {
  ...intOrString,
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$',
}

/** The schema of resource requests and limits. */
export const resources: Schema = object({ limits: map(quantity), requests: map(quantity) })
